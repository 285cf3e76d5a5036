import Glibc

/// A listening socket that nobody accepts from: the kernel completes connections, and then nothing happens.
public final class SilentListener: Sendable {
  /// Its port on 127.0.0.1.
  public let port: UInt16
  private let socket: Int32

  /// Listens.
  public init() throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = self.socket
    let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(socket, address, length) == 0 && listen(socket, 16) == 0
          && getsockname(socket, address, &length) == 0
      }
    }
    port = address.sin_port.bigEndian
    guard bound else { throw RawPeer.Failure(description: "cannot listen") }
  }

  deinit { close(socket) }
}
