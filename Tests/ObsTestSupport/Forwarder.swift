import Dispatch
import Glibc
import Synchronization

/// A TCP forwarder on 127.0.0.1 that can stop forwarding, as a firewall that drops packets does.
///
/// Closed with its last reference, or by ``close()``.
public final class Forwarder: Sendable {
  /// The port that it listens on.
  public let port: UInt16
  private let target: Atomic<UInt16>
  private let listener: Int32
  private let links = Mutex<[Link]>([])
  private let accepting = DispatchQueue(label: "Forwarder.accepting")

  /// Listens, and forwards every connection to a port of 127.0.0.1.
  public init(to target: UInt16) throws {
    self.target = Atomic(target)
    let socket = try Self.makeSocket()
    listener = socket
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var address = Self.loopback(0)
    let listening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(socket, address, length) == 0 && listen(socket, 64) == 0
          && getsockname(socket, address, &length) == 0
      }
    }
    port = address.sin_port.bigEndian
    guard listening else { throw RawPeer.Failure(description: "cannot listen") }
    accepting.async { [weak self, listener] in
      while case let near = accept(listener, nil, nil), near >= 0 {
        guard let self else {
          Glibc.close(near)
          return
        }
        self.link(near)
      }
    }
  }

  deinit { close() }

  /// From now on nothing passes over the connections that exist, in neither direction, not even their end.
  ///
  /// New ones pass.
  public func freeze() {
    for link in links.withLock({ $0 }) { link.freeze() }
  }

  /// Forwards new connections to another port, as when a server came back elsewhere.
  public func retarget(to port: UInt16) { target.store(port, ordering: .sequentiallyConsistent) }

  /// Cuts everything.
  public func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    cut()
  }

  /// Cuts the connections that exist.
  ///
  /// New ones pass.
  public func cut() {
    let all = links.withLock { links in
      defer { links = [] }
      return links
    }
    for link in all { link.cut() }
  }

  private func link(_ near: Int32) {
    guard let far = try? Self.makeSocket() else {
      Glibc.close(near)
      return
    }
    var address = Self.loopback(target.load(ordering: .sequentiallyConsistent))
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(far, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard connected else {
      Glibc.close(near)
      Glibc.close(far)
      return
    }
    let link = Link(near: near, far: far)
    links.withLock { $0.append(link) }
    link.start()
  }

  private static func makeSocket() throws -> Int32 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw RawPeer.Failure(description: "no socket, errno \(errno)") }
    return socket
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  /// One forwarded connection: two sockets, and a blocking loop for each direction.
  private final class Link: Sendable {
    private let near: Int32
    private let far: Int32
    private let isFrozen = Atomic<Bool>(false)
    private let loops = [
      DispatchQueue(label: "Forwarder.up"), DispatchQueue(label: "Forwarder.down"),
    ]

    init(near: Int32, far: Int32) {
      self.near = near
      self.far = far
    }

    // The loops hold the link, so nobody uses the sockets any more.
    deinit {
      Glibc.close(near)
      Glibc.close(far)
    }

    func start() {
      loops[0].async { self.pump(from: self.near, to: self.far) }
      loops[1].async { self.pump(from: self.far, to: self.near) }
    }

    func freeze() { isFrozen.store(true, ordering: .sequentiallyConsistent) }

    func cut() {
      shutdown(near, Int32(SHUT_RDWR))
      shutdown(far, Int32(SHUT_RDWR))
    }

    private func pump(from source: Int32, to destination: Int32) {
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes {
          unsafe recv(source, $0.baseAddress, $0.count, 0)
        }
        if isFrozen.load(ordering: .sequentiallyConsistent) {
          // What comes is dropped, and so is the end.
          if count > 0 { continue }
          return
        }
        guard count > 0 else {
          shutdown(destination, Int32(SHUT_WR))
          return
        }
        var sent = 0
        while sent < count {
          let more = unsafe buffer.withUnsafeBytes { bytes in
            unsafe send(
              destination,
              bytes.baseAddress?.advanced(by: sent),
              count - sent,
              Int32(MSG_NOSIGNAL)
            )
          }
          if more <= 0 { return }
          sent += more
        }
      }
    }
  }
}
