import CWebsockets

/// A connection that we accepted: plain HTTP at first, then perhaps a WebSocket.
final class ServerConnection: Connection {
  let server: ServerCore
  private var wasOpen = false
  /// Between the decision to upgrade and the end of the handshake.
  private var upgrade: UpgradeRequest?
  /// Plain HTTP, from its first request on.
  private(set) var http: PlainHTTP?
  private var isCorrectingTimeout = false

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
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: unsafe confirmUpgrade(socket, bytes.baseAddress)
    case LWS_CALLBACK_ESTABLISHED: open()
    case LWS_CALLBACK_HTTP: beginHTTP(socket)
    case LWS_CALLBACK_HTTP_BODY: unsafe receiveHTTP(bytes)
    case LWS_CALLBACK_HTTP_WRITEABLE: continueHTTP()
    default: 0
    }
  }

  // MARK: upgrade

  /// Negative hangs up; 0 lets the library upgrade.
  private func confirmUpgrade(_ socket: Socket, _ argument: UnsafeRawPointer?) -> Int32 {
    // The callback's own argument may dangle (trap 12): headers are copied, and an unknown upgrade has none any more.
    guard let upgrade = socket.header(WSI_TOKEN_UPGRADE) else {
      server.counters.refused(.handshake)
      return -1
    }
    if upgrade.lowercased() == "h2c", let argument = unsafe argument {
      // The headers of h2c are whole, and it is the plain request that it would be without the upgrade (RFC 7540, section 3.2). The
      // library looks again at the word behind the argument: another one than h2c it leaves alone (trap 34).
      unsafe UnsafeMutableRawPointer(mutating: argument)
        .storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      return 0
    }
    let head: HTTPHead
    let target: HTTPTarget
    do throws(HTTPFault) {
      head = try HTTPHead(socket)
      target = try HTTPTarget(head.target)
    } catch {
      server.counters.refused(.handshake)
      _ = write(
        socket,
        HTTPResponse.text(error.status, error.text).encoded(forHEAD: false, closes: true)
      )
      return -1
    }
    let offer = UpgradeRules.Offer(
      method: head.method,
      path: target.path,
      upgrade: upgrade,
      connection: socket.header(WSI_TOKEN_CONNECTION),
      version: socket.header(WSI_TOKEN_VERSION),
      key: socket.header(WSI_TOKEN_KEY),
      host: socket.header(WSI_TOKEN_HOST),
      origin: socket.header(WSI_TOKEN_ORIGIN),
      subprotocols: socket.header(WSI_TOKEN_PROTOCOL)
    )
    switch server.rules.decide(offer, room: server.admit) {
    case .accept(let subprotocol):
      self.upgrade = UpgradeRequest(
        path: target.path,
        query: target.query,
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

  /// Whether it has become a WebSocket, or carries a stream.
  var isOpen: Bool { wasOpen || http?.isStreaming == true }

  /// Ends a connection that is no WebSocket yet, to make room; false when it is one, or has ended.
  func cutHandshake() -> Bool {
    guard !isOpen, state == .handshaking else { return false }
    server.counters.refused(.full)
    kill("too many handshakes")
    return true
  }

  override func handshakeTimedOut() {
    if let http { return http.timedOut() }
    server.counters.refused(.timeout)
    super.handshakeTimedOut()
  }

  override func ended(_ close: ConnectionClose) {
    if wasOpen { server.handler?.closed(id, close) }
    http?.connectionEnded()
  }

  override func removed() { server.socketRemoved(wasOpen: wasOpen) }

  // MARK: plain HTTP

  private func beginHTTP(_ socket: Socket) -> Int32 {
    socket.clearTimeout()
    let http = PlainHTTP(self)
    self.http = http
    http.begin(socket)
    return 0
  }

  private func receiveHTTP(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard let http else { return -1 }
    unsafe http.receive(bytes)
    // The library sets a limit for the next piece behind this callback, over whatever was set in it (trap 32).
    if !isCorrectingTimeout {
      isCorrectingTimeout = true
      let me = LoopBound(core, self)
      core.execute { me.value.correctTimeout() }
    }
    return 0
  }

  private func correctTimeout() {
    isCorrectingTimeout = false
    if state == .handshaking {
      socket?.clearTimeout()
    } else if state == .closing {
      socket?.killSoon()
      core.library?.kick()
    }
  }

  private func continueHTTP() -> Int32 {
    http?.writable()
    return 0
  }

  /// Gives a connection that has spoken plain HTTP to the library once more, for an upgrade: proxies reuse connections for that.
  ///
  /// False under TLS, whose state cannot be passed on.
  func handOver(_ lines: [ArraySlice<UInt8>], _ rest: HTTPInput) -> Bool {
    guard server.options.tls == nil, let file = socket?.duplicate() else { return false }
    let early = Array(lines.joined(separator: [13, 10])) + [13, 10, 13, 10] + rest.rest
    let server = LoopBound(core, server)
    // What comes from now on is for the other.
    setReading(paused: true)
    kill("handed over for an upgrade")
    // Not within the callback that this comes from.
    core.execute { server.value.accept(file, early: early[...]) }
    return true
  }

  private func write(_ socket: Socket, _ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe socket.write($0) }
  }
}
