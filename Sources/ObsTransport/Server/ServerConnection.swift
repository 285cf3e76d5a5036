import CWebsockets

/// A connection that we accepted: plain HTTP at first, then perhaps a WebSocket.
final class ServerConnection: Connection {
  let server: ServerCore
  private var wasOpen = false
  /// Between the decision to upgrade and the end of the handshake.
  private var upgrade: UpgradeRequest?
  /// A request whose body is arriving.
  private var request: HTTPRequest?

  init(id: ConnectionID, server: ServerCore) {
    self.server = server
    super.init(
      id: id,
      core: server.core,
      timing: server.options.timing,
      maximumMessageBytes: server.options.maximumMessageBytes,
      acceptsBinary: server.options.acceptsBinary
    )
  }

  override var counters: TransportCounters? { server.counters }

  override func roleEvent(
    _ socket: Socket,
    _ event: lws_callback_reasons,
    _ bytes: UnsafeRawBufferPointer
  ) -> Int32 {
    switch event {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: confirmUpgrade(socket)
    case LWS_CALLBACK_ESTABLISHED: open()
    case LWS_CALLBACK_HTTP: beginRequest(socket)
    case LWS_CALLBACK_HTTP_BODY: unsafe addBody(socket, bytes)
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: finishRequest(socket)
    default: 0
    }
  }

  // MARK: upgrade

  /// Negative hangs up; 0 lets the library upgrade.
  private func confirmUpgrade(_ socket: Socket) -> Int32 {
    // The callback's own argument may dangle (trap 12): headers are copied, and an unknown upgrade has none any more.
    guard let upgrade = socket.header(WSI_TOKEN_UPGRADE), let target = socket.target else {
      server.counters.refused(.handshake)
      return -1
    }
    // The headers of h2c are whole: it is the plain request that it would be without the upgrade (RFC 7540, section 3.2).
    if upgrade.lowercased() == "h2c" {
      server.counters.refused(.handshake)
      _ = beginRequest(socket, closes: true)
      return -1
    }
    let offer = UpgradeRules.Offer(
      method: target.method,
      path: target.path,
      upgrade: upgrade,
      connection: socket.header(WSI_TOKEN_CONNECTION),
      version: socket.header(WSI_TOKEN_VERSION),
      key: socket.header(WSI_TOKEN_KEY),
      host: socket.header(WSI_TOKEN_HOST),
      origin: socket.header(WSI_TOKEN_ORIGIN),
      subprotocols: socket.header(WSI_TOKEN_PROTOCOL)
    )
    switch server.rules.decide(offer, isFull: server.isFull) {
    case .accept(let subprotocol):
      self.upgrade = UpgradeRequest(
        path: target.path,
        query: socket.query,
        host: offer.host,
        origin: offer.origin,
        authorization: socket.header(WSI_TOKEN_HTTP_AUTHORIZATION),
        cookie: socket.header(WSI_TOKEN_HTTP_COOKIE),
        userAgent: socket.header(WSI_TOKEN_HTTP_USER_AGENT),
        forwardedFor: socket.header(WSI_TOKEN_X_FORWARDED_FOR),
        remoteAddress: socket.peerAddress,
        subprotocol: subprotocol
      )
      return 0
    case .refuse(let reason, let response):
      server.counters.refused(reason)
      _ = write(socket, response.encoded(forHEAD: false, closes: true))
      return -1
    case .hangUp:
      server.counters.refused(.handshake)
      return -1
    }
  }

  private func open() -> Int32 {
    guard let upgrade else { return -1 }
    self.upgrade = nil
    wasOpen = true
    established()
    server.connectionOpened()
    server.handler?.opened(id, upgrade)
    return 0
  }

  // MARK: messages

  override func receivedBytes(_ count: Int) { server.counters.received(bytes: count) }

  override func received(_ message: consuming WebSocketMessage) {
    server.counters.receivedMessage()
    server.handler?.received(id, message)
  }

  override func becameWritable() { server.handler?.writable(id) }

  override func peerWasSilent() { server.counters.peerWasSilent() }

  /// Whether it has become a WebSocket.
  var isOpen: Bool { wasOpen }

  /// Ends a connection that is no WebSocket yet, to make room.
  func cutHandshake() {
    guard !wasOpen else { return }
    server.counters.refused(.full)
    kill("too many handshakes")
  }

  override func handshakeTimedOut() {
    server.counters.refused(.timeout)
    super.handshakeTimedOut()
  }

  override func ended(_ close: ConnectionClose) {
    if wasOpen { server.handler?.closed(id, close) }
  }

  override func removed() { server.socketRemoved(wasOpen: wasOpen) }

  // MARK: plain HTTP

  /// Negative closes the connection; the same for all of these.
  private func beginRequest(_ socket: Socket, closes: Bool = false) -> Int32 {
    guard let target = socket.target else {
      return respond(
        socket,
        .text(405, "this method is not known here"),
        forHEAD: false,
        closes: true
      )
    }
    var request = HTTPRequest(
      method: target.method,
      path: target.path,
      query: socket.query,
      headers: [:],
      remoteAddress: socket.peerAddress
    )
    for (name, token) in Self.headerTokens {
      if let value = socket.header(token) { request.headers[name] = value }
    }
    for name in Self.customHeaders {
      if let value = socket.customHeader(name + ":") { request.headers[name] = value }
    }
    if socket.header(WSI_TOKEN_HTTP_TRANSFER_ENCODING) != nil {
      return respond(
        socket,
        .text(411, "a body needs Content-Length"),
        forHEAD: false,
        closes: true
      )
    }
    let announced = request.headers["content-length"].map { Int($0) ?? -1 } ?? 0
    guard announced >= 0, announced <= server.options.maximumBodyBytes else {
      return respond(
        socket,
        .text(413, "a body has at most \(server.options.maximumBodyBytes) bytes"),
        forHEAD: false,
        closes: true
      )
    }
    // Whoever has to close cannot wait for a body.
    guard announced == 0 || !closes else {
      return respond(
        socket,
        .text(400, "no body may come with an upgrade"),
        forHEAD: false,
        closes: true
      )
    }
    if closes { request.headers["connection"] = "close" }
    self.request = request
    return announced == 0 ? finishRequest(socket) : 0
  }

  private func addBody(_ socket: Socket, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard var request else { return -1 }
    self.request = nil
    guard request.body.count + bytes.count <= server.options.maximumBodyBytes else { return -1 }
    unsafe request.body.append(contentsOf: bytes)
    self.request = request
    return 0
  }

  private func finishRequest(_ socket: Socket) -> Int32 {
    guard let request else { return -1 }
    self.request = nil
    let closes = request.headers["connection"]?.lowercased().contains("close") ?? false
    return respond(socket, answer(to: request), forHEAD: request.method == "HEAD", closes: closes)
  }

  private func answer(to request: HTTPRequest) -> HTTPResponse {
    server.counters.answeredRequest()
    if request.path == server.options.path {
      return .text(
        426,
        "This is a WebSocket endpoint (subprotocol \(server.options.subprotocol)); "
          + "connect to it with a WebSocket client.",
        headers: [("Upgrade", "websocket"), ("Connection", "Upgrade")]
      )
    }
    return server.handler?.respond(to: request)
      ?? .text(404, "nothing is at \(request.path); the WebSocket is at \(server.options.path)")
  }

  private func respond(
    _ socket: Socket,
    _ response: HTTPResponse,
    forHEAD: Bool,
    closes: Bool
  ) -> Int32 {
    guard write(socket, response.encoded(forHEAD: forHEAD, closes: closes)), !closes else {
      return -1
    }
    // The next request of this connection has its own time.
    deadline = core.now + timing.handshakeTimeout
    return socket.completeExchange() ? 0 : -1
  }

  private func write(_ socket: Socket, _ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe socket.write($0) }
  }

  private static let headerTokens: [(String, lws_token_indexes)] = [
    ("host", WSI_TOKEN_HOST), ("accept", WSI_TOKEN_HTTP_ACCEPT),
    ("authorization", WSI_TOKEN_HTTP_AUTHORIZATION), ("connection", WSI_TOKEN_CONNECTION),
    ("content-type", WSI_TOKEN_HTTP_CONTENT_TYPE),
    ("content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH), ("cookie", WSI_TOKEN_HTTP_COOKIE),
    ("user-agent", WSI_TOKEN_HTTP_USER_AGENT), ("origin", WSI_TOKEN_ORIGIN),
    ("if-match", WSI_TOKEN_HTTP_IF_MATCH), ("if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH),
    ("x-forwarded-for", WSI_TOKEN_X_FORWARDED_FOR),
  ]
  private static let customHeaders = ["x-request-id", "idempotency-key"]
}
