/// What a client said when it asked for a WebSocket, as far as handlers want to know it.
public struct UpgradeRequest: Sendable, Hashable {
  /// The path, equal to ``ListenOptions/path``.
  public var path: String
  /// What followed the question mark, or empty.
  public var query: String
  /// The `Host` header.
  public var host: String?
  /// The `Origin` header, which browsers send; already allowed by ``ListenOptions/allowedOrigins``.
  public var origin: String?
  /// The `Authorization` header.
  public var authorization: String?
  /// The `Cookie` header.
  public var cookie: String?
  /// The `User-Agent` header.
  public var userAgent: String?
  /// The `X-Forwarded-For` header: to be believed behind a proxy of one's own only.
  public var forwardedFor: String?
  /// The numeric address of the other end of the TCP connection.
  public var remoteAddress: String?
  /// The chosen subprotocol; nil when the client offered none.
  public var subprotocol: String?

  /// Makes a request, for tests of handlers.
  public init(
    path: String,
    query: String = "",
    host: String? = nil,
    origin: String? = nil,
    authorization: String? = nil,
    cookie: String? = nil,
    userAgent: String? = nil,
    forwardedFor: String? = nil,
    remoteAddress: String? = nil,
    subprotocol: String? = nil
  ) {
    self.path = path
    self.query = query
    self.host = host
    self.origin = origin
    self.authorization = authorization
    self.cookie = cookie
    self.userAgent = userAgent
    self.forwardedFor = forwardedFor
    self.remoteAddress = remoteAddress
    self.subprotocol = subprotocol
  }
}

/// The rules for upgrades: a pure decision on the headers.
struct UpgradeRules {
  /// The headers that decide.
  struct Offer {
    var method = "GET"
    var path: String
    var upgrade: String?
    var connection: String?
    var version: String?
    var key: String?
    var host: String?
    var origin: String?
    var subprotocols: String?
  }

  enum Decision {
    case accept(subprotocol: String?)
    case refuse(RefusalReason, HTTPResponse)
    /// Not even an answer: the request's headers may be gone (trap 12).
    case hangUp
  }

  /// Whether there is room for one more.
  enum Room {
    case free
    /// The limit on connections is reached.
    case full
    /// More come in a second than are taken; seconds until another try.
    case busy(retryAfter: Int)
  }

  let path: String
  let subprotocol: String
  let allowedOrigins: Set<String>
  let usesTLS: Bool

  init(_ options: ListenOptions) {
    path = options.path
    subprotocol = options.subprotocol
    allowedOrigins = Set(options.allowedOrigins.map { Self.normalized(origin: $0) })
    usesTLS = options.tls != nil
  }

  /// Decides; `room` is asked last, for a handshake that is right in all else, since asking takes it.
  func decide(_ offer: Offer, room: () -> Room) -> Decision {
    // h2c would switch to HTTP/2 otherwise, by default, and whatever else is asked for has freed its headers (trap 12).
    guard offer.upgrade?.lowercased() == "websocket" else { return .hangUp }
    guard offer.path == path else {
      return .refuse(.path, .text(404, "there is no WebSocket here; it is at \(path)"))
    }
    guard offer.method == "GET" else {
      return .refuse(.handshake, .text(405, "an upgrade needs GET", headers: [("Allow", "GET")]))
    }
    guard Self.tokens(offer.connection).contains(where: { $0.lowercased() == "upgrade" }) else {
      return .refuse(.handshake, .text(400, "the header `Connection: Upgrade` is missing"))
    }
    guard offer.version == "13" else {
      return .refuse(
        .handshake,
        .text(
          426,
          "only version 13 of the WebSocket protocol is spoken here",
          headers: [("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket")]
        )
      )
    }
    guard let key = offer.key, key.utf8.count == 24, key.hasSuffix("==") else {
      return .refuse(
        .handshake,
        .text(400, "the header `Sec-WebSocket-Key` is not 16 bytes of base64")
      )
    }
    guard let host = offer.host, !host.isEmpty else {
      return .refuse(.handshake, .text(400, "the header `Host` is missing"))
    }
    guard isAllowed(origin: offer.origin, host: host) else {
      return .refuse(.origin, .text(403, "pages from this origin may not connect"))
    }
    let offered = Self.tokens(offer.subprotocols)
    // The library looks at the first 127 bytes of the list only, and hangs up when that is not all.
    let isSpoken =
      offered.contains(subprotocol) && (offer.subprotocols ?? "").utf8.count <= 126
    guard offered.isEmpty || isSpoken else {
      return .refuse(
        .subprotocol,
        .text(400, "the only subprotocol that is spoken here is \(subprotocol)")
      )
    }
    switch room() {
    case .free: return .accept(subprotocol: offered.isEmpty ? nil : subprotocol)
    case .full: return .refuse(.full, Self.unavailable("too many connections", retryAfter: 5))
    case .busy(let seconds):
      let what = "too many connect at the same time"
      return .refuse(.rate, Self.unavailable(what, retryAfter: seconds))
    }
  }

  private static func unavailable(_ what: String, retryAfter seconds: Int) -> HTTPResponse {
    .text(503, "\(what), please try again", headers: [("Retry-After", String(seconds))])
  }

  func isAllowed(origin: String?, host: String) -> Bool {
    guard let origin else { return true }
    let wanted = Self.normalized(origin: origin)
    // `null` is what sandboxed pages and local files send: nobody in particular.
    guard wanted != "null", !wanted.isEmpty else { return false }
    if allowedOrigins.contains(wanted) { return true }
    let host = host.lowercased()
    // Behind a proxy that ends TLS, the page's scheme is https and ours is not: the host decides.
    return wanted == Self.normalized(origin: "http://\(host)")
      || wanted == Self.normalized(origin: "https://\(host)")
  }

  /// Lower case, without the default port and a trailing slash.
  private static func normalized(origin: String) -> String {
    var text = origin.lowercased()
    if text.hasSuffix("/") { text.removeLast() }
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
    where text.hasPrefix(scheme) && text.hasSuffix(port) {
      text.removeLast(port.utf8.count)
    }
    return text
  }

  /// The members of a comma-separated header.
  private static func tokens(_ list: String?) -> [String] {
    guard let list else { return [] }
    return list.split(separator: ",").map { part in
      String(
        part.drop(while: { $0 == " " || $0 == "\t" }).reversed()
          .drop(while: { $0 == " " || $0 == "\t" }).reversed()
      )
    }.filter { !$0.isEmpty }
  }
}
