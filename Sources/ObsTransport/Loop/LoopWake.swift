import CUV
import Glibc

/// Ends a loop's wait for events from any thread: an eventfd that the loop polls.
///
/// Not libuv's own `uv_async_t`: its sender marks the handle again after the write, and the woken thread spins until it has, up to
/// a thousand pauses when the two share a core (trap 28).
///
/// Made, begun and closed on one thread; ``send()`` is for any.
@safe struct LoopWake {
  private let file: Int32
  private let poll: UnsafeMutablePointer<uv_poll_t>

  init() throws(TransportError) {
    file = cuv_wake_file()
    guard file >= 0 else {
      throw TransportError(
        .loopFailed,
        "the loop's wake file could not be opened",
        underlying: SystemError.text(errno)
      )
    }
    unsafe poll = .allocate(capacity: 1)
  }

  func begin(on loop: UnsafeMutablePointer<uv_loop_t>) {
    unsafe uv_poll_init(loop, poll, file)
    unsafe poll.pointee.data = UnsafeMutableRawPointer(bitPattern: Int(file))
    unsafe uv_poll_start(
      poll,
      Int32(UV_READABLE.rawValue),
      { handle, _, _ in
        guard let handle = unsafe handle else { return }
        var count: UInt64 = 0
        _ = unsafe read(Int32(Int(bitPattern: handle.pointee.data)), &count, 8)
      }
    )
  }

  func send() {
    var one: UInt64 = 1
    _ = unsafe write(file, &one, 8)
  }

  /// Closes the file; the handle is freed when libuv has let it go.
  func close() {
    unsafe uv_poll_stop(poll)
    Glibc.close(file)
    unsafe uv_close(
      UnsafeMutableRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self),
      { handle in
        unsafe UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_poll_t.self)
          .deallocate()
      }
    )
  }
}
