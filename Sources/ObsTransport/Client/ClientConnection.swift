import CWebsockets

/// A connection that we make: name lookup, one attempt per address, handshake, then messages.
final class ClientConnection: Connection {
  private let options: ConnectOptions
  private var handler: (any WebSocketClientHandler)?
  private var url: WebSocketURL?
  private var addresses: [String] = []
  private var failure: TransportError?
  private var subprotocol: String?
  /// Frames that wait for the handshake or for room; whole frames each, so that the library's pongs may come between them.
  private var waiting: [[UInt8]] = []
  private var waitingStart = 0
  private var waitingBytes = 0
  /// A close that waits behind them.
  private var waitingClose: (code: UInt16, reason: String)?
  /// One address is being tried.
  private var isTrying = false

  init(
    id: ConnectionID,
    core: LoopCore,
    options: ConnectOptions,
    handler: any WebSocketClientHandler
  ) {
    self.options = options
    self.handler = handler
    super.init(
      id: id,
      core: core,
      timing: options.timing,
      maximumMessageBytes: options.maximumMessageBytes,
      acceptsBinary: true
    )
  }

  // MARK: connecting

  func begin() {
    do throws(TransportError) {
      let url = try WebSocketURL(options.url)
      self.url = url
      guard core.library != nil else {
        throw TransportError(.stopped, "the event loop was stopped")
      }
      let me = LoopBound(core, self)
      Resolver.resolve(url.host) { [core] result in
        core.execute { me.value.resolved(result) }
      }
    } catch {
      fail(error)
    }
  }

  private func resolved(_ result: Result<[String], TransportError>) {
    guard state == .handshaking else { return }
    switch result {
    case .success(let addresses):
      self.addresses = addresses
      tryNextAddress()
    case .failure(let error):
      fail(error)
    }
  }

  private func tryNextAddress() {
    guard state == .handshaking, let url, let library = core.library else { return }
    guard !addresses.isEmpty else {
      return fail(failure ?? TransportError(.connectFailed, "there is no address to connect to"))
    }
    let address = addresses.removeFirst()
    isTrying = true
    do throws(TransportError) {
      var caFile: String?
      if case .caFile(let path) = options.tls { caFile = path }
      let host = try library.clientHost(caFile: caFile, usesTLS: url.isSecure)
      let storage = CStorage()
      var info = unsafe lws_client_connect_info()
      // A numeric address, so that the library's blocking lookup has nothing to do (trap 17).
      unsafe info.address = storage.string(address)
      unsafe info.port = Int32(url.port)
      unsafe info.path = storage.string(url.target)
      // The name, for the Host header and, by the library, for SNI and the certificate's check.
      unsafe info.host = storage.string(url.hostHeader)
      unsafe info.protocol = options.subprotocol.flatMap { unsafe storage.string($0) }
      unsafe info.local_protocol_name = host.protocolName
      unsafe info.vhost = host.pointer
      unsafe info.alpn = storage.string("http/1.1")
      unsafe info.retry_and_idle_policy = host.noKeepalive
      unsafe info.opaque_user_data = id.pointer
      unsafe info.ssl_connection = flags(url)
      if let wsi = unsafe library.connect(&info) {
        socket = unsafe Socket(wsi)
        // The timers of a new connection are set outside of a callback (trap 3).
        library.kick()
      } else {
        attemptFailed(TransportError(.connectFailed, "cannot connect to \(address):\(url.port)"))
      }
    } catch {
      fail(error)
    }
  }

  private func flags(_ url: WebSocketURL) -> Int32 {
    var flags = LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue
    if url.isSecure { flags |= LCCSCF_USE_SSL.rawValue }
    if options.tls == .insecure {
      flags |=
        LCCSCF_ALLOW_SELFSIGNED.rawValue | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK.rawValue
        | LCCSCF_ALLOW_EXPIRED.rawValue | LCCSCF_ALLOW_INSECURE.rawValue
    }
    return Int32(flags)
  }

  /// One address did not work; in the next pass, the next one is tried.
  private func attemptFailed(_ error: TransportError) {
    guard state == .handshaking, isTrying else { return }
    isTrying = false
    if failure == nil || error.code != .connectFailed { failure = error }
    socket = nil
    // An answer by HTTP is an answer.
    if error.code != .connectFailed { addresses = [] }
    let me = LoopBound(core, self)
    core.execute { me.value.tryNextAddress() }
  }

  private func fail(_ error: TransportError) {
    if failure == nil { failure = error }
    ending = ConnectionClose(code: nil, reason: error.message, initiatedByPeer: false)
    kill(error.message)
  }

  override func handshakeTimedOut() {
    fail(
      TransportError(
        .connectTimeout,
        "connecting to \(options.url) took longer than \(options.connectTimeout)"
      )
    )
  }

  override func roleEvent(
    _ socket: Socket,
    _ event: lws_callback_reasons,
    _ bytes: UnsafeRawBufferPointer
  ) -> Int32 {
    switch event {
    case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
      subprotocol = socket.header(WSI_TOKEN_PROTOCOL)
    case LWS_CALLBACK_CLIENT_ESTABLISHED: open()
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      var error = unsafe Self.error(socket.responseStatus, String(decoding: bytes, as: UTF8.self))
      error.retryAfter = Self.delay(socket.header(WSI_TOKEN_HTTP_RETRY_AFTER))
      attemptFailed(error)
    default: break
    }
    return 0
  }

  override func libraryClosed() {
    if state == .handshaking {
      attemptFailed(Self.error(0, "closed before established"))
    } else {
      super.libraryClosed()
    }
  }

  /// A destroyed socket may be the one of an address that was tried before.
  override func destroyed(_ socket: Socket) {
    if state != .handshaking {
      super.destroyed(socket)
    } else if self.socket == socket {
      libraryClosed()
    }
  }

  private static func error(_ status: Int, _ text: String) -> TransportError {
    let underlying = String(text.prefix { $0 != "\0" })
    if status != 0, status != 101 {
      return TransportError(
        .handshakeRefused,
        "the server refused the WebSocket",
        underlying: underlying,
        httpStatus: status
      )
    }
    if underlying.hasPrefix("HS:") {
      return TransportError(
        .handshakeRefused,
        "the server's answer is not a WebSocket handshake",
        underlying: underlying
      )
    }
    let lower = underlying.lowercased()
    if ["ssl", "tls", "cert", "server's cert"].contains(where: lower.contains) {
      return TransportError(.tlsFailed, "the TLS handshake failed", underlying: underlying)
    }
    return TransportError(
      .connectFailed,
      "the server cannot be reached, or hung up before the handshake",
      underlying: underlying
    )
  }

  /// Reads `Retry-After` in seconds; dates are not understood.
  private static func delay(_ header: String?) -> Duration? {
    guard let header, let seconds = UInt32(header) else { return nil }
    return .seconds(Int64(seconds))
  }

  private func open() {
    guard state == .handshaking else { return }
    failure = nil
    established()
    handler?.opened(subprotocol: subprotocol)
    flush()
  }

  /// Adds the caller's headers to the handshake, as far as they fit.
  override func appendHeaders(_ space: UnsafeMutableRawBufferPointer) -> Int {
    var used = 0
    for (name, value) in options.headers {
      let line = Array("\(Self.clean(name)): \(Self.clean(value))\r\n".utf8)
      guard used + line.count <= space.count else { break }
      unsafe UnsafeMutableRawBufferPointer(rebasing: space[used...]).copyBytes(from: line)
      used += line.count
    }
    return used
  }

  private static func clean(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 32 }))
  }

  // MARK: messages

  override func received(_ message: consuming WebSocketMessage) { handler?.received(message) }

  func send(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) {
    guard state == .handshaking || state == .open, waitingClose == nil else { return }
    var rest = payload[...]
    var kind = opcode
    repeat {
      // Masked into bytes of our own, each time (trap 16); in fragments, so that little is copied for a slow server (trap 8).
      let piece = rest.prefix(WebSocketFrame.defaultFragmentLength)
      rest = rest.dropFirst(WebSocketFrame.defaultFragmentLength)
      let frame = WebSocketFrame.masked(
        kind,
        final: rest.isEmpty,
        piece,
        key: .random(in: 0 ... .max)
      )
      waiting.append(frame)
      waitingBytes += frame.count
      kind = .continuation
    } while !rest.isEmpty
    flush()
    if waitingBytes > options.maximumBufferedBytes {
      fail(
        TransportError(
          .sendBufferFull,
          "more than \(options.maximumBufferedBytes) bytes wait to be sent"
        )
      )
    }
  }

  private func flush() {
    while state == .open, !isChoked, waitingStart < waiting.count {
      let frame = waiting[waitingStart]
      waiting[waitingStart] = []
      waitingStart += 1
      waitingBytes -= frame.count
      _ = unsafe frame.withUnsafeBytes { unsafe send($0) }
    }
    guard waitingStart == waiting.count else { return }
    waiting.removeAll(keepingCapacity: waiting.capacity <= 64)
    waitingStart = 0
    if state == .open, let close = waitingClose {
      waitingClose = nil
      self.close(code: close.code, reason: close.reason)
    }
  }

  override func becameWritable() { flush() }

  /// Closes when everything before has gone to the socket, or at the deadline.
  func closeInOrder(code: UInt16, reason: String) {
    switch state {
    case .handshaking:
      kill("closed before the connection was made")
    case .open where waitingStart < waiting.count:
      guard waitingClose == nil else { return }
      waitingClose = (code, reason)
      deadline = core.now + timing.closeTimeout
      let me = LoopBound(core, self)
      core.schedule(after: timing.closeTimeout) {
        if me.value.state == .open { me.value.kill("the server did not take what was sent") }
      }
    case .open:
      close(code: code, reason: reason)
    case .closing, .ended:
      break
    }
  }

  override func closeFrame(code: UInt16, reason: String) -> [UInt8] {
    let payload = WebSocketFrame.closePayload(code: code, reason: reason)
    return WebSocketFrame.masked(.close, payload[...], key: .random(in: 0 ... .max))
  }

  override func pingFrame() -> [UInt8] {
    WebSocketFrame.masked(.ping, Array("obs?".utf8)[...], key: .random(in: 0 ... .max))
  }

  override func peerWasSilent() {
    failure = TransportError(.peerSilent, "the server gave no sign of life")
  }

  /// The library's client turns a received 1012, 1013 or 1014 into 1002, but leaves the reason (trap 21).
  override func interpret(code: UInt16?, reason: String) -> (UInt16?, String) {
    guard code == 1002 else { return (code, reason) }
    return switch reason {
    case "restart", "starting": (1012, reason)
    case "overloaded", "slow consumer": (1013, reason)
    default: (code, reason)
    }
  }

  // MARK: end

  override func ended(_ close: ConnectionClose) {
    guard let handler else { return }
    self.handler = nil
    waiting = []
    waitingBytes = 0
    var error = failure
    if error == nil, close.code == nil, close.initiatedByPeer {
      error = TransportError(.connectionLost, "the connection ended without a close frame")
    }
    core.connections.remove(id)
    handler.closed(close, error)
  }
}
