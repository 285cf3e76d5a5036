import CWebsockets
import Glibc

/// The thread-bound half of a ``WebSocketServer``.
final class ServerCore {
  let core: LoopCore
  let options: ListenOptions
  let counters: TransportCounters
  let rules: UpgradeRules
  private(set) var handler: (any WebSocketServerHandler)?
  private var host: LWSHost?
  private var listener: Int?
  private var onStopped: [@Sendable () -> Void] = []
  private var isStopping = false
  /// Connections that ``WebSocketServerHandler/opened(_:_:)`` was called for and whose socket is not gone.
  private(set) var openCount = 0
  private(set) var socketCount = 0
  /// Answers that have begun and have no end yet.
  private(set) var streamCount = 0

  /// Connections in the order of their arrival, of which some are still in their handshake or talk HTTP.
  private var handshakes: [ConnectionID] = []
  private var firstHandshake = 0
  private let socketLimit: Int
  private var meter: HandshakeMeter

  /// Sockets above the limit on connections that may be in their handshake or talk HTTP.
  private static let reserve = 256
  /// The most sockets that are neither WebSockets nor streams; fewer than the header tables of the library's pool.
  private static let maximumHandshakes = 1024

  init(
    core: LoopCore,
    options: ListenOptions,
    handler: any WebSocketServerHandler,
    counters: TransportCounters
  ) {
    self.core = core
    self.options = options
    self.handler = handler
    self.counters = counters
    rules = UpgradeRules(options)
    meter = HandshakeMeter(
      perSecond: options.handshakesPerSecond,
      burst: options.handshakeBurst,
      now: Clock.nanoseconds()
    )
    socketLimit = min(
      options.maximumConnections + Self.reserve,
      max(1, ListenOptions.openFileLimit - 32)
    )
  }

  func listen(address: String) throws(TransportError) -> UInt16 {
    guard let library = core.library, !isStopping else {
      throw TransportError(.stopped, "the server or its event loop was stopped")
    }
    precondition(listener == nil, "a server is started once")
    if let tls = options.tls { try Self.check(tls) }
    var configuration = LWSHost.Configuration(name: "server")
    configuration.subprotocol = options.subprotocol
    configuration.receiveBufferBytes = options.receiveBufferBytes
    configuration.keepaliveSeconds = options.handshakeTimeout.wholeSeconds
    configuration.serverTLS = options.tls
    let listening = try Listener.open(address: address, port: options.port)
    let socket = Listener(listening, port: options.port, core: core) { [weak self] socket in
      guard let self else { return _ = Glibc.close(socket) }
      accept(socket)
    }
    do {
      host = try library.makeHost(configuration)
    } catch {
      socket.discard()
      throw error
    }
    listener = core.watch(socket)
    core.add(self)
    return socket.port
  }

  private static func check(_ tls: TLSOptions) throws(TransportError) {
    for (field, path) in [
      ("tls.certificateFile", tls.certificateFile), ("tls.privateKeyFile", tls.privateKeyFile),
    ] where unsafe access(path, R_OK) != 0 {
      throw TransportError(
        .badOption,
        "\(field) cannot be read: \(path)",
        underlying: SystemError.text(errno)
      )
    }
  }

  // MARK: connections

  /// Takes an accepted socket, from which `early` has been read before.
  func accept(_ socket: Int32, early: ArraySlice<UInt8> = []) {
    guard let host, !isStopping else { return _ = Glibc.close(socket) }
    guard socketCount < socketLimit else {
      counters.refused(.full)
      return refuseRaw(socket)
    }
    limitHandshakes()
    var low = Int32(clamping: options.notSentLowWater)
    let size = socklen_t(MemoryLayout<Int32>.size)
    unsafe setsockopt(socket, Int32(IPPROTO_TCP), Self.notSentLowWaterOption, &low, size)
    let connection = core.connections.insert { ServerConnection(id: $0, server: self) }
    socketCount += 1
    handshakes.append(connection.id)
    core.connections.adopting = connection.id
    let wsi = unsafe host.adoptHTTP(socket, early: early)
    core.connections.adopting = nil
    guard let wsi = unsafe wsi else {
      // The library has closed the socket; its late callbacks do not find the number any more.
      if core.connections[connection.id] != nil {
        core.connections.remove(connection.id)
        connection.removed()
      }
      return
    }
    if connection.state != .ended { connection.socket = unsafe Socket(wsi) }
  }

  /// Cuts the oldest handshake when there are too many: who is served properly is done with it in no time.
  private func limitHandshakes() {
    if socketCount - openCount - streamCount >= Self.maximumHandshakes {
      // One for the one that came: what is cut leaves in a later pass, and still counts until then.
      while firstHandshake < handshakes.count {
        let oldest = connection(handshakes[firstHandshake])
        firstHandshake += 1
        if oldest?.cutHandshake() == true { break }
      }
    }
    // Most have become WebSockets, or are gone.
    if handshakes.count >= 2 * Self.maximumHandshakes {
      handshakes = handshakes[firstHandshake...].filter { connection($0)?.isOpen == false }
      firstHandshake = 0
    }
  }

  /// `TCP_NOTSENT_LOWAT` of linux/tcp.h.
  private static let notSentLowWaterOption: Int32 = 25

  /// Answers without the library, when there is no room even for a handshake.
  private func refuseRaw(_ socket: Int32) {
    if options.tls == nil {
      let answer = HTTPResponse.text(
        503,
        "too many connections, please try again",
        headers: [("Retry-After", "5")]
      ).encoded(forHEAD: false, closes: true)
      _ = unsafe answer.withUnsafeBytes { bytes in
        unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      shutdown(socket, Int32(SHUT_WR))
    }
    Glibc.close(socket)
  }

  func connection(_ id: ConnectionID) -> ServerConnection? {
    guard let connection = core.connections[id] as? ServerConnection, connection.server === self
    else { return nil }
    return connection
  }

  func send(_ id: ConnectionID, _ frames: UnsafeRawBufferPointer) -> SendResult {
    guard let connection = connection(id) else { return .gone }
    // (A ping of ours may have filled the socket meanwhile: these bytes go behind it, in order.)
    assert(!connection.isChoked, "send while choked; wait for writable")
    return unsafe connection.send(frames)
  }

  var isFull: Bool { openCount + streamCount >= options.maximumConnections }
  /// Whether a handshake that is right otherwise may become a WebSocket.
  func admit() -> UpgradeRules.Room {
    if isFull { return .full }
    return meter.take(at: Clock.nanoseconds()).map { .busy(retryAfter: $0) } ?? .free
  }

  var isListening: Bool { listener != nil }
  /// For handles that others carry around.
  var bound: LoopBound<ServerCore> { LoopBound(core, self) }

  func http(of exchange: HTTPExchange) -> PlainHTTP? {
    guard let http = connection(exchange.connection)?.http, http.carries(exchange) else {
      return nil
    }
    return http
  }

  func streamOpened() { streamCount += 1 }
  func streamClosed() { streamCount -= 1 }

  func connectionOpened() {
    openCount += 1
    counters.connectionAccepted()
  }

  func socketRemoved(wasOpen: Bool) {
    socketCount -= 1
    if wasOpen { openCount -= 1 }
    finishStopping()
  }

  func passEnded() { handler?.passEnded() }

  // MARK: end

  func stopListening() {
    guard let listener else { return }
    core.unwatch(listener)
    self.listener = nil
  }

  func stop(_ done: @escaping @Sendable () -> Void) {
    stopListening()
    isStopping = true
    onStopped.append(done)
    let all = core.connections
    all.forEach { connection in
      guard let connection = connection as? ServerConnection, connection.server === self else {
        return
      }
      connection.http?.stop()
      connection.kill("the server stopped")
    }
    finishStopping()
  }

  private func finishStopping() {
    guard isStopping, socketCount == 0, !onStopped.isEmpty else { return }
    core.remove(self)
    // The library frees a host in its own time; not inside of a callback about its last connection.
    core.execute { [core, host = host.map { LoopBound(core, $0) }] in
      if let host { core.destroy(host.value) }
    }
    host = nil
    handler = nil
    let calls = onStopped
    onStopped = []
    for call in calls { core.execute(call) }
  }
}
