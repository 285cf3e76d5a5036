/// The parts of a `ws://` or `wss://` URL.
struct WebSocketURL: Hashable {
  var isSecure: Bool
  /// The name or address, without brackets.
  var host: String
  var port: UInt16
  /// Path and query, beginning with a slash.
  var target: String

  /// The value of the `Host` header.
  var hostHeader: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  init(_ text: String) throws(TransportError) {
    func bad(_ why: String) -> TransportError {
      TransportError(.badURL, "\(text) is not a WebSocket URL: \(why)")
    }
    let rest: Substring
    if text.lowercased().hasPrefix("ws://") {
      isSecure = false
      rest = text.dropFirst(5)
    } else if text.lowercased().hasPrefix("wss://") {
      isSecure = true
      rest = text.dropFirst(6)
    } else {
      throw bad("it does not begin with ws:// or wss://")
    }
    guard rest.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
      throw bad("it contains blanks or control characters")
    }
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    let afterAuthority = rest[end...].prefix { $0 != "#" }
    target = afterAuthority.hasPrefix("/") ? String(afterAuthority) : "/" + afterAuthority
    guard !authority.contains("@") else { throw bad("user names are not supported") }
    let portText: Substring?
    if authority.hasPrefix("[") {
      guard let bracket = authority.firstIndex(of: "]") else { throw bad("a bracket is missing") }
      host = String(authority[authority.index(after: authority.startIndex)..<bracket])
      let tail = authority[authority.index(after: bracket)...]
      guard tail.isEmpty || tail.hasPrefix(":") else { throw bad("the port is unclear") }
      portText = tail.isEmpty ? nil : tail.dropFirst()
    } else if let colon = authority.lastIndex(of: ":") {
      host = String(authority[..<colon])
      portText = authority[authority.index(after: colon)...]
    } else {
      host = String(authority)
      portText = nil
    }
    guard !host.isEmpty else { throw bad("the host is missing") }
    guard let portText else {
      port = isSecure ? 443 : 80
      return
    }
    guard let port = UInt16(portText), port > 0 else { throw bad("the port is not a number") }
    self.port = port
  }
}
