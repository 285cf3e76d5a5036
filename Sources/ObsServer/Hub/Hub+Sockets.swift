import ObsModel
import ObsTransport
import ObsWire

/// What the transport reports; every call comes on the loop's thread, so none of them hops.
extension Hub: WebSocketServerHandler {
  nonisolated func opened(_ id: ConnectionID, _ request: UpgradeRequest) {
    assumeIsolated { $0.open(id, request) }
  }

  nonisolated func received(_ id: ConnectionID, _ message: consuming WebSocketMessage) {
    guard case .text(let text) = message else { return }
    assumeIsolated { $0.receive(id, text) }
  }

  nonisolated func writable(_ id: ConnectionID) {
    assumeIsolated { $0.unchoke(id) }
  }

  nonisolated func closed(_ id: ConnectionID, _ close: ConnectionClose) {
    assumeIsolated { $0.ended(id, close) }
  }

  nonisolated func passEnded() { assumeIsolated { $0.flushAll() } }

  nonisolated func requested(_ exchange: HTTPExchange, _ request: HTTPRequest) {
    assumeIsolated { $0.route(exchange, request) }
  }

  nonisolated func writable(_ exchange: HTTPExchange) {
    assumeIsolated {
      $0.webWritable(exchange)
      $0.backupWritable(exchange)
    }
  }

  nonisolated func gone(_ exchange: HTTPExchange) {
    assumeIsolated {
      $0.webGone(exchange)
      $0.backupWritable(exchange)
    }
  }

  private func open(_ id: ConnectionID, _ request: UpgradeRequest) {
    let session = Session(
      id: id,
      upgrade: request,
      limits: configuration.limits,
      now: Clocks.monotonic()
    )
    sessions[id] = session
    session.initTimer = loop.schedule(after: configuration.limits.initTimeout) { [weak self] in
      self?.assumeIsolated { $0.initTimedOut(id) }
    }
    log(
      .debug,
      "connection opened",
      ["session": .string(session.name), "address": .string(session.address)]
    )
    if draining { return close(session, .restart, "restart") }
    if readiness.notReady != nil { close(session, .restart, "starting") }
  }

  private func initTimedOut(_ id: ConnectionID) {
    guard let session = sessions[id], session.peer.phase == .awaitingInit else { return }
    close(session, .initTimeout, "init timeout")
  }

  private func unchoke(_ id: ConnectionID) {
    guard let session = sessions[id] else { return }
    session.choked = false
    flushLater(session)
  }

  private func receive(_ id: ConnectionID, _ text: [UInt8]) {
    guard let session = sessions[id] else { return }
    if session.parsing {
      session.unparsed.append(text)
    } else if text.count > Hub.parsedOnLoop {
      parseElsewhere(text, session)
    } else {
      handle(MessageParser.parse(text, configuration.limits), session)
    }
  }

  /// Parses a large message on another thread; the order of messages is kept.
  private func parseElsewhere(_ text: [UInt8], _ session: Session) {
    session.parsing = true
    transport?.pauseReading(session.id)
    let id = session.id
    let limits = configuration.limits
    Task { self.parsed(id, await self.parser.parse(text, limits)) }
  }

  private func parsed(_ id: ConnectionID, _ result: MessageParser.Result) {
    guard let session = sessions[id] else { return }
    session.parsing = false
    handle(result, session)
    while !session.parsing, !session.unparsed.isEmpty {
      receive(id, session.unparsed.removeFirst())
    }
    if !session.parsing { resumeReading(session) }
  }

  private func handle(_ result: MessageParser.Result, _ session: Session) {
    switch result {
    case .success(let message):
      perform(session.peer.receive(message, now: Clocks.monotonic()), session)
      keepToRate(session)
    case .failure(let violation):
      if session.peer.phase == .closed { return }
      close(session, violation.close, violation.reason)
    }
  }

  /// Stops reading from a peer that starts operations faster than it may.
  private func keepToRate(_ session: Session) {
    if session.overRate { return }
    guard let pause = session.peer.meter.pause(at: Clocks.monotonic()) else { return }
    session.overRate = true
    transport?.pauseReading(session.id)
    let id = session.id
    _ = loop.schedule(after: .nanoseconds(Int64(pause))) { [weak self] in
      self?.assumeIsolated { hub in
        guard let session = hub.sessions[id] else { return }
        session.overRate = false
        hub.keepToRate(session)  // A timer may come a little early.
        hub.resumeReading(session)
      }
    }
  }

  private func resumeReading(_ session: Session) {
    if session.parsing || session.overRate { return }
    transport?.resumeReading(session.id)
  }
}

/// Parses messages that would hold up the loop: one at a time, on the shared pool.
actor MessageParser {
  typealias Result = Swift.Result<ClientMessage, ProtocolViolation>

  func parse(_ text: [UInt8], _ limits: Limits) -> Result { MessageParser.parse(text, limits) }

  static func parse(_ text: [UInt8], _ limits: Limits) -> Result {
    var json = JSONLimits()
    json.maximumBytes = limits.messageBytes
    json.maximumDepth = limits.messageDepth
    do throws(ProtocolViolation) {
      return .success(try ClientMessage(parsing: text, limits: json))
    } catch {
      return .failure(error)
    }
  }
}
