import Glibc

/// Numeric texts of socket addresses.
enum SocketAddress {
  /// The address of the other end of a socket, without its port.
  static func peer(of socket: Int32) -> String? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) { storage in
      unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard unsafe getpeername(socket, address, &length) == 0 else { return nil }
        return unsafe numeric(address, length)
      }
    }
  }

  /// The port that a socket is bound to.
  static func localPort(of socket: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) { storage in
      let bound = unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(socket, address, &length) == 0
      }
      guard bound else { return nil }
      // The port stands at the same place in sockaddr_in and sockaddr_in6.
      return unsafe UInt16(
        bigEndian: UnsafeRawPointer(storage).load(fromByteOffset: 2, as: UInt16.self)
      )
    }
  }

  /// The numeric text of an address.
  static func numeric(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let base = buffer.baseAddress,
        unsafe getnameinfo(address, length, base, 64, nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return unsafe String(cString: base)
    }
  }

  /// The addresses of a name, as the system orders them; blocks while it asks.
  ///
  /// `passive` is for binding, `numericOnly` refuses names and does not block.
  static func resolve(
    _ host: String,
    passive: Bool = false,
    numericOnly: Bool = false
  ) throws(TransportError) -> [String] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = (passive ? AI_PASSIVE : 0) | (numericOnly ? AI_NUMERICHOST : 0)
    var list = UnsafeMutablePointer<addrinfo>(nil)
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else {
      throw TransportError(
        .nameNotResolved,
        "the name \(host) has no address",
        underlying: unsafe String(cString: gai_strerror(status))
      )
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [String] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let text = unsafe numeric(entry.pointee.ai_addr, entry.pointee.ai_addrlen),
        !addresses.contains(text)
      {
        addresses.append(text)
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }

  /// Calls `body` with the binary form of a numeric address and a port.
  static func with<Result>(
    _ address: String,
    port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t, Int32) -> Result
  ) -> Result? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var list = UnsafeMutablePointer<addrinfo>(nil)
    guard unsafe getaddrinfo(address, String(port), &hints, &list) == 0,
      let entry = unsafe list
    else { return nil }
    defer { unsafe freeaddrinfo(list) }
    return unsafe body(entry.pointee.ai_addr, entry.pointee.ai_addrlen, entry.pointee.ai_family)
  }
}
