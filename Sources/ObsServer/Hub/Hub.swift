import ObsModel
import ObsTransport
import ObsWire
import Synchronization

/// All connections of one socket loop: wires peers to the transport and to the query engine.
///
/// An actor on the loop's own thread, so that socket callbacks enter it without a hop.
actor Hub {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// The most sessions written to in one pass, so that reads are not starved.
  static let sessionsPerPass = 512
  /// The most bytes handed to one socket in one pass.
  static let bytesPerPass = 1 << 20
  /// Messages above this size are parsed off the loop.
  static let parsedOnLoop = 32 * 1024

  let configuration: ServerConfiguration
  let operations: OperationTable
  let metrics: Metrics
  let log: Log
  let epoch: Epoch
  let readiness: Readiness
  var transport: WebSocketServer?
  var engine: QueryEngine?

  var sessions: [ConnectionID: Session] = [:]
  var fanouts: [LiveQueryID: Fanout] = [:]
  var users: [String: Int] = [:]
  /// HTTP requests that the models answer.
  var web: [OperationKey: WebOperation] = [:]
  var webByExchange: [HTTPExchange: OperationKey] = [:]
  var webWatchers: [LiveQueryID: [WebOperation]] = [:]
  /// Backups that wait for room in their sockets.
  var backups: [HTTPExchange: CheckedContinuation<Void, Never>] = [:]
  var nextWebSerial: UInt64 = 0
  var rev: Int64 = 0
  /// The place of the last commit that ``rev`` contains; nil without a document.
  var seq: Int64?
  var draining = false
  private var gone: [CheckedContinuation<Void, Never>] = []

  private var requests: [Request] = []
  private var dirty: [Session] = []
  private var buffer = WriteBuffer()
  let parser = MessageParser()

  init(
    loop: EventLoop,
    configuration: ServerConfiguration,
    operations: OperationTable,
    metrics: Metrics,
    log: Log,
    epoch: Epoch,
    readiness: Readiness
  ) {
    self.readiness = readiness
    self.loop = loop
    self.configuration = configuration
    self.operations = operations
    self.metrics = metrics
    self.log = log
    self.epoch = epoch
  }

  func start(_ transport: WebSocketServer, _ engine: QueryEngine) {
    self.transport = transport
    self.engine = engine
  }

  // MARK: Effects

  /// Does what a peer's state asks for.
  func perform(_ effect: Peer.Effect?, _ session: Session) {
    flushLater(session)
    countRefusals(session)
    guard let effect else { return }
    switch effect {
    case .authenticate(let payload): authenticate(payload, session)
    case .start(let serial, let payload): start(serial, payload, session)
    case .left(let slot): leave(slot, session)
    case .close(let code, let reason): close(session, code, reason)
    }
  }

  private func countRefusals(_ session: Session) {
    if session.peer.refusals.isEmpty { return }
    for code in session.peer.refusals { metrics.refused(code) }
    session.peer.refusals.removeAll()
  }

  func close(_ session: Session, _ code: CloseCode, _ reason: String) {
    _ = session.peer.close(code, reason)
    metrics.closed(code.rawValue)
    log(
      code.rawValue >= 4000 ? .warning : .debug,
      "connection closed by server",
      [
        "session": .string(session.name), "code": .int(Int64(code.rawValue)),
        "reason": .string(reason),
      ]
    )
    flush(session)
    transport?.close(session.id, code: code.rawValue, reason: reason)
  }

  /// Passes a request to the models at the end of the pass.
  func request(_ request: Request) { requests.append(request) }

  // MARK: Leaving

  func leave(_ slot: OperationSlot, _ session: Session) {
    switch slot.kind {
    case .stream(let queue): queue.cancel()
    case .watch, .once, .command:
      detach(slot)
      request(.leave(OperationKey(connection: session.id, serial: slot.serial)))
    }
  }

  /// Takes a slot out of the subscribers of its live query.
  func detach(_ slot: OperationSlot) {
    guard let fanout = slot.fanout else { return }
    slot.fanout = nil
    let last = fanout.members.removeLast()
    if slot.position < fanout.members.count {
      fanout.members[slot.position] = last
      last.slot.position = slot.position
    }
    if fanout.members.isEmpty { fanouts[fanout.query] = nil }
  }

  func ended(_ id: ConnectionID, _ close: ConnectionClose) {
    guard let session = sessions.removeValue(forKey: id) else { return }
    session.initTimer?.cancel()
    session.keepAlive?.cancel()
    if let user = session.peer.caller.user, let count = users[user] {
      users[user] = count > 1 ? count - 1 : nil
    }
    for case let slot? in session.peer.slots {
      session.peer.remove(slot)
      leave(slot, session)
    }
    log(
      .debug,
      "connection ended",
      [
        "session": .string(session.name), "code": .int(Int64(close.code ?? 1006)),
        "reason": .string(close.reason), "by": .string(close.initiatedByPeer ? "peer" : "server"),
      ]
    )
    if sessions.isEmpty {
      for waiter in gone { waiter.resume() }
      gone = []
    }
  }

  /// Waits until no connection is left.
  func whenEmpty() async {
    if sessions.isEmpty { return }
    await withCheckedContinuation { gone.append($0) }
  }

  // MARK: The end of a pass

  func flushLater(_ session: Session) {
    if session.dirty || session.choked || !session.peer.hasOutput { return }
    session.dirty = true
    dirty.append(session)
  }

  func flushAll() {
    if !requests.isEmpty {
      engine?.admit(requests)
      requests = []
    }
    if dirty.isEmpty { return }
    var slice: [Session]
    if dirty.count > Hub.sessionsPerPass {
      slice = Array(dirty.prefix(Hub.sessionsPerPass))
      dirty.removeFirst(Hub.sessionsPerPass)
    } else {
      slice = []
      swap(&slice, &dirty)
    }
    let now = Clocks.monotonic()
    for session in slice {
      session.dirty = false
      if flush(session, now) { flushLater(session) }
    }
    slice.removeAll(keepingCapacity: true)
    if dirty.isEmpty {
      swap(&slice, &dirty)
    } else {
      loop.execute {}  // Another pass without waiting for an event.
    }
  }

  /// Writes what the peer has and the socket takes.
  ///
  /// True if the pass's share ended first.
  @discardableResult
  func flush(_ session: Session, _ now: UInt64 = Clocks.monotonic()) -> Bool {
    guard let transport, !session.choked else { return false }
    var bytes = 0
    while true {
      let result: SendResult
      let write = session.peer.nextWrite(&buffer, rev: rev, seq: seq, now: now)
      switch write {
      case .nothing:
        count(session)
        return false
      case .joined:
        bytes += buffer.bytes.count
        result = transport.send(session.id, buffer.bytes)
      case .shared(let fragment):
        bytes += fragment.count
        result = transport.send(session.id, fragment)
      }
      session.wroteSinceKeepAlive = true
      if result != .sent {
        session.choked = true
        count(session)
        return false
      }
      if bytes >= Hub.bytesPerPass {
        count(session)
        return true
      }
    }
  }

  private func count(_ session: Session) {
    let counts = session.peer.counts
    session.peer.counts = .init()
    if counts.frames > 0 { metrics.framesSent.add(counts.frames) }
    if counts.unchanged > 0 { metrics.framesUnchanged.add(counts.unchanged) }
    if counts.events > 0 { metrics.eventsSent.add(counts.events) }
    if counts.answers > 0 { metrics.answersSent.add(counts.answers) }
  }

  // MARK: Figures

  var subscriptionCount: Int { sessions.values.reduce(0) { $0 + $1.peer.operationCount } }
}

/// The end of the hub.
extension Hub {
  /// Closes every connection, spread over `time`, and returns when all are gone.
  func closeAll(over time: Duration, _ code: CloseCode, _ reason: String) async {
    draining = true
    endWeb()
    let all = sessions.keys.shuffled()
    for (id, delay) in zip(all, Hub.staggered(all.count, over: Clocks.nanoseconds(time))) {
      if delay == 0 {
        closeNow(id, code, reason)
      } else {
        _ = loop.schedule(after: .nanoseconds(Int64(delay))) { [weak self] in
          self?.assumeIsolated { $0.closeNow(id, code, reason) }
        }
      }
    }
    await whenEmpty()
  }

  /// So many moments within a time (nanoseconds): one in each of as many equal parts, somewhere in it.
  ///
  /// The clients of a server that goes away then come to others one by one.
  static func staggered(_ count: Int, over time: UInt64) -> [UInt64] {
    let part = time / UInt64(max(count, 1))
    return (0..<count).map { part * UInt64($0) + (part > 0 ? .random(in: 0..<part) : 0) }
  }

  private func closeNow(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {
    if let session = sessions[id] { close(session, code, reason) }
  }

  /// Lets go of the transport and the engine, which hold the hub.
  func disconnect() {
    transport = nil
    engine = nil
  }

  func figures() -> (connections: Int, subscriptions: Int) {
    (sessions.count, subscriptionCount)
  }
}
