/// What a ``WebSocketServer`` tells; every call comes on the thread of its loop.
///
/// An actor on that loop implements these as `nonisolated` and enters itself by `assumeIsolated`.
public protocol WebSocketServerHandler: AnyObject, Sendable {
  /// A connection is open: frames may be sent.
  func opened(_ id: ConnectionID, _ request: UpgradeRequest)
  /// A whole message has arrived.
  func received(_ id: ConnectionID, _ message: consuming WebSocketMessage)
  /// A send had said ``SendResult/choked``, and now the socket has room again.
  func writable(_ id: ConnectionID)
  /// The connection is over; exactly once for each ``opened(_:_:)``.
  func closed(_ id: ConnectionID, _ close: ConnectionClose)
  /// The end of a pass of the loop, after its socket events and jobs: the moment to send what has gathered.
  func passEnded()
  /// A plain HTTP request on the same port is there, with its body: the exchange wants one answer, now or later.
  ///
  /// The default is 404.
  func requested(_ exchange: HTTPExchange, _ request: HTTPRequest)
  /// A stream had said ``SendResult/choked``, and now the socket has room again.
  func writable(_ exchange: HTTPExchange)
  /// The client of an exchange has gone before the answer or the stream was ended, or it took longer than
  /// ``ListenOptions/answerTimeout``; at most once for each.
  func gone(_ exchange: HTTPExchange)
}

extension WebSocketServerHandler {
  /// Answers 404.
  public func requested(_ exchange: HTTPExchange, _ request: HTTPRequest) { exchange.respond(nil) }
  /// Does nothing.
  public func writable(_ exchange: HTTPExchange) {}
  /// Does nothing.
  public func gone(_ exchange: HTTPExchange) {}
}

/// A WebSocket server on an ``EventLoop``: handshakes, limits, messages, close codes, dead peers, and a little HTTP beside it.
///
/// It decides nothing about what the messages mean. Frames come from the handler ready to send (``WebSocketFrame``), so that one framing
/// serves any number of receivers.
public final class WebSocketServer: Sendable {
  private let loop: EventLoop
  private let options: ListenOptions
  private let core: LoopBound<ServerCore>
  /// Counters since the start; from any thread.
  public let counters: TransportCounters

  /// Makes a server that is not listening yet.
  ///
  /// - Parameters:
  ///   - loop: whose thread carries it.
  ///   - options: checked by ``start()``.
  ///   - handler: kept until ``stop()``.
  public init(
    on loop: EventLoop,
    _ options: ListenOptions,
    handler: any WebSocketServerHandler
  ) {
    self.loop = loop
    self.options = options
    counters = TransportCounters()
    core = LoopBound(
      loop.core,
      ServerCore(core: loop.core, options: options, handler: handler, counters: counters)
    )
  }

  /// Checks the options, binds and listens.
  ///
  /// - Returns: the bound port.
  /// - Throws: `badOption`, `nameNotResolved`, `bindFailed`, `tlsFailed` or `stopped`.
  public func start() async throws(TransportError) -> UInt16 {
    try options.check()
    let addresses = try await Resolver.resolve(options.host, passive: true)
    guard let address = addresses.first else {
      throw TransportError(.nameNotResolved, "the host \(options.host) has no address")
    }
    return try await onLoop { core in
      Result { () throws(TransportError) in try core.listen(address: address) }
    }.get()
  }

  /// Closes the listening socket; connections stay.
  ///
  /// From any thread.
  public func stopListening() {
    loop.execute { [core] in core.value.stopListening() }
  }

  /// Closes the listening socket, cuts what connections are left, and returns when all are gone.
  ///
  /// From any thread, more than once too.
  ///
  /// For a polite end, close the connections with a code before.
  public func stop() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      loop.execute { [core] in core.value.stop { done.resume() } }
    }
  }

  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (ServerCore) -> Value
  ) async -> Value {
    await withCheckedContinuation { done in
      loop.execute { [core] in done.resume(returning: body(core.value)) }
    }
  }

  // MARK: on the loop's thread

  /// Sends whole frames, in order.
  ///
  /// On the loop's thread; never while the connection is choked.
  ///
  /// The bytes are sent as they are and not kept, except for what the socket does not take: that part is copied, so a single call should carry
  /// at most about 64 KiB for a peer that may be slow, and not end within a frame.
  @discardableResult
  public func send(_ id: ConnectionID, _ frames: UnsafeRawBufferPointer) -> SendResult {
    unsafe core.value.send(id, frames)
  }

  /// Sends whole frames from an array; see ``send(_:_:)-(_,UnsafeRawBufferPointer)``.
  @discardableResult
  public func send(_ id: ConnectionID, _ frames: [UInt8]) -> SendResult {
    unsafe frames.withUnsafeBytes { unsafe core.value.send(id, $0) }
  }

  /// Whether a send was not taken whole, and ``WebSocketServerHandler/writable(_:)`` is still to
  /// come.
  ///
  /// On the loop's thread.
  public func isChoked(_ id: ConnectionID) -> Bool { core.value.connection(id)?.isChoked ?? false }

  /// Asks for ``WebSocketServerHandler/writable(_:)`` after the pongs that are due have been sent.
  ///
  /// On the loop's thread. Only who has to answer messages strictly behind the pongs of earlier pings needs this; it costs two more system
  /// calls than sending at once.
  public func requestWritable(_ id: ConnectionID) { core.value.connection(id)?.askForWritable() }

  /// Ends a connection: a close frame behind what was sent, then the peer's answer or
  /// ``ListenOptions/closeTimeout``.
  ///
  /// On the loop's thread.
  public func close(_ id: ConnectionID, code: UInt16, reason: String) {
    core.value.connection(id)?.close(code: code, reason: reason)
  }

  /// Cuts a connection without a close frame.
  ///
  /// On the loop's thread.
  public func kill(_ id: ConnectionID) { core.value.connection(id)?.kill("cut by the server") }

  /// Stops reading from a connection: its peer feels that as back pressure.
  ///
  /// On the loop's thread.
  public func pauseReading(_ id: ConnectionID) {
    core.value.connection(id)?.setReading(paused: true)
  }

  /// Reads again.
  ///
  /// On the loop's thread.
  public func resumeReading(_ id: ConnectionID) {
    core.value.connection(id)?.setReading(paused: false)
  }

  /// Open WebSocket connections, closing ones included.
  ///
  /// On the loop's thread.
  public var connectionCount: Int { core.value.openCount }

  /// Whether pages of an origin may speak to the server, by the rules of the upgrade; nil is no browser and may.
  public func isAllowed(origin: String?, host: String) -> Bool {
    core.value.rules.isAllowed(origin: origin, host: host)
  }

  /// Streamed answers (``HTTPExchange/beginStream(_:)``) that have not ended.
  ///
  /// On the loop's thread.
  public var streamCount: Int { core.value.streamCount }

  /// All sockets, handshakes and plain HTTP included.
  ///
  /// On the loop's thread.
  public var socketCount: Int { core.value.socketCount }
}
