import CUV
import Glibc

/// A listening socket of ours on the loop.
///
/// Loop thread only. The library's listener accepts through its own options and spins when files run out (trap 7), and closing it
/// while connections live is `lws_context_deprecate`, which concerns a whole context (trap 14); so sockets are accepted here and adopted.
@safe final class Listener {
  let port: UInt16
  private let socket: Int32
  private let poll: UnsafeMutablePointer<uv_poll_t>
  private let core: LoopCore
  private let accepted: (Int32) -> Void
  private var isOpen = true

  /// The most sockets that are accepted before others get their turn.
  private static let batch = 64

  /// Takes a socket of ``open(address:port:)``.
  init(_ socket: Int32, port: UInt16, core: LoopCore, accepted: @escaping (Int32) -> Void) {
    self.core = core
    self.accepted = accepted
    self.socket = socket
    self.port = SocketAddress.localPort(of: socket) ?? port
    unsafe poll = .allocate(capacity: 1)
  }

  /// Makes a listening socket; before anything refers to it, so that a failure leaves nothing behind.
  static func open(address: String, port: UInt16) throws(TransportError) -> Int32 {
    let outcome = unsafe SocketAddress.with(address, port: port) { bytes, length, family in
      unsafe listen(bytes, length, family)
    }
    switch outcome {
    case .success(let socket)?: return socket
    case .failure(let error)?:
      throw TransportError(
        .bindFailed,
        "cannot listen on \(address) port \(port)",
        underlying: error.message
      )
    case nil: throw TransportError(.bindFailed, "\(address) is not an address")
    }
  }

  private static func listen(
    _ address: UnsafePointer<sockaddr>,
    _ length: socklen_t,
    _ family: Int32
  ) -> Result<Int32, TransportError> {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(family, kind, 0)
    guard socket >= 0 else { return .failure(systemError()) }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, size)
    guard unsafe bind(socket, address, length) == 0, Glibc.listen(socket, 4096) == 0 else {
      let error = systemError()
      Glibc.close(socket)
      return .failure(error)
    }
    return .success(socket)
  }

  private static func systemError() -> TransportError {
    TransportError(.bindFailed, SystemError.text(errno))
  }

  /// Begins to watch; the loop knows the listener by `number`, which is all that the handle carries.
  func begin(on loop: UnsafeMutablePointer<uv_loop_t>, number: Int) {
    unsafe uv_poll_init_socket(loop, poll, socket)
    unsafe poll.pointee.data = UnsafeMutableRawPointer(bitPattern: number)
    watch()
  }

  private func watch() {
    unsafe uv_poll_start(
      poll,
      Int32(UV_READABLE.rawValue),
      { handle, _, _ in
        guard let handle = unsafe handle else { return }
        unsafe LoopCore.of(handle.pointee.loop)
          .listener(Int(bitPattern: handle.pointee.data))?.acceptAll()
      }
    )
  }

  private func acceptAll() {
    for _ in 0..<Self.batch {
      let socket = cuv_accept(self.socket)
      if socket >= 0 {
        accepted(socket)
        guard isOpen else { return }
        continue
      }
      switch errno {
      case EAGAIN: return
      case EINTR, ECONNABORTED, EPROTO: continue
      default: return pause(errno)
      }
    }
  }

  /// Files or memory ran out: the waiting connection would wake the loop again and again (trap 7).
  private func pause(_ error: Int32) {
    unsafe uv_poll_stop(poll)
    TransportLog.emit(
      isError: true,
      text: "accepting connections pauses for 200 ms: \(SystemError.text(error))"
    )
    let me = LoopBound(core, self)
    core.schedule(after: 200) {
      if me.value.isOpen { me.value.watch() }
    }
  }

  /// Closes the socket of a listener that was never watched.
  func discard() {
    isOpen = false
    Glibc.close(socket)
    unsafe poll.deallocate()
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    unsafe uv_poll_stop(poll)
    Glibc.close(socket)
    unsafe uv_close(
      UnsafeMutableRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self),
      { handle in
        unsafe UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_poll_t.self)
          .deallocate()
      }
    )
  }
}
