internal import ObsWire

/// The client's side of the protocol, without sockets, threads or time: events go in, actions come out.
///
/// One attempt to connect is named by its `generation`. Events of an earlier one are ignored, so nothing that an old
/// socket still says can reach the application.
struct ConnectionMachine {
  /// Where the connection stands; the cases carry what is true only there.
  private enum State {
    case disconnected
    case connecting
    case initializing
    case ready(Greeting, since: Duration)
    case backingOff
    case closed
  }

  /// What the caller has to do, in this order, after the event.
  enum Action: Sendable {
    /// Open a socket, and report what becomes of it under this generation.
    case open(generation: UInt64)
    /// Close this generation's socket; whatever it still reports is of no interest.
    case shut(generation: UInt64, CloseCode, reason: String)
    /// Send on the current socket.
    case send(ClientMessage)
    /// Call ``timerFired(_:)`` with this token after the delay. There is one timer: the last one set.
    case setTimer(token: UInt64, Duration)
    case cancelTimer
    case deliver(OperationID, Delivery)
    /// The values of one consistent cut are complete.
    case endOfBatch
    case stateChanged(ConnectionState)
    /// Answer everybody who waits for a connection.
    case answerConnect(ClientError?)
  }

  /// Why a socket is gone.
  struct Loss: Sendable {
    /// The close code, as it was meant; nil when no close frame came.
    var code: CloseCode?
    var error: ClientError
    /// How long the server asked to wait before another attempt.
    var retryAfter: Duration?
  }

  /// Successive refusals of credentials after which no further attempt is made (PROTOCOL.md, close codes).
  static let maximumRefusals = 5

  private var state: State = .disconnected
  private var operations: [OperationID: Operation] = [:]
  private var generation: UInt64 = 0
  private var timerToken: UInt64 = 0
  /// Failed attempts and short-lived connections in a row.
  private var failures = 0
  private var refusals = 0
  /// Whether a connection is kept also without operations: from the first greeting until the application gives it up.
  private var isKept = false
  private var cuts = CutTracker()
  /// Whether the server can be told which values are known.
  private var resumes = false

  private let backoff: Backoff
  private let acknowledgeTimeout: Duration
  private let refreshesCredentials: Bool
  private let chance: @Sendable () -> Double

  /// Makes a machine that is disconnected and knows no operation.
  ///
  /// - Parameters:
  ///   - backoff: how long to wait between attempts.
  ///   - acknowledgeTimeout: how long the server may take to greet.
  ///   - refreshesCredentials: whether another attempt shows other credentials, so that a refusal need not be final.
  ///   - chance: random numbers from 0 up to 1.
  init(
    backoff: Backoff,
    acknowledgeTimeout: Duration = .seconds(10),
    refreshesCredentials: Bool = false,
    chance: @escaping @Sendable () -> Double
  ) {
    self.backoff = backoff
    self.acknowledgeTimeout = acknowledgeTimeout
    self.refreshesCredentials = refreshesCredentials
    self.chance = chance
  }

  /// How many operations are not over.
  var operationCount: Int { operations.count }

  /// Whether this generation's socket is still to be opened.
  func isConnecting(_ generation: UInt64) -> Bool {
    guard case .connecting = state else { return false }
    return generation == self.generation
  }

  // MARK: What the application wants

  /// Starts an operation: at once when the connection is ready, else as soon as it is.
  mutating func start(_ id: OperationID, _ operation: Operation) -> [Action] {
    switch state {
    case .closed:
      return [.deliver(id, .failed(Self.closedError)), .endOfBatch]
    case .ready:
      operations[id] = operation
      return [send(id)].compactMap(\.self)
    case .disconnected:
      operations[id] = operation
      return open()
    case .connecting, .initializing, .backingOff:
      operations[id] = operation
      return []
    }
  }

  /// Ends an operation that is no longer wanted.
  mutating func end(_ id: OperationID) -> [Action] {
    guard let operation = operations.removeValue(forKey: id) else { return [] }
    var actions: [Action] = []
    if operation.isSent, case .ready = state { actions.append(.send(.complete(id: id.wire))) }
    if operations.isEmpty, !isKept, case .backingOff = state {
      actions += disconnected(.disconnected)
    }
    return actions
  }

  /// Connects now, also when a wait is under way; the answer comes as ``Action/answerConnect(_:)``.
  mutating func connect() -> [Action] {
    switch state {
    case .closed: [.answerConnect(Self.closedError)]
    case .ready: [.answerConnect(nil)]
    case .connecting, .initializing: []
    case .disconnected: open()
    case .backingOff: [.cancelTimer] + open()
    }
  }

  /// Lets go of the connection and keeps the operations, for ``connect()`` to take up again.
  mutating func disconnect() -> [Action] {
    isKept = false
    switch state {
    case .closed, .disconnected: return []
    case .backingOff: return disconnected(.disconnected)
    case .connecting, .initializing, .ready:
      let error = ClientError(
        .connectionLost,
        "the connection was given up by disconnect()",
        retryable: true
      )
      return [.shut(generation: generation, .normal, reason: "")] + interrupt(error)
        + disconnected(.disconnected) + [.answerConnect(error)]
    }
  }

  /// Ends everything for good: sequences finish, calls fail.
  mutating func close() -> [Action] {
    var actions: [Action] = []
    switch state {
    case .closed: return []
    case .disconnected: break
    case .backingOff: actions.append(.cancelTimer)
    case .connecting, .initializing, .ready:
      actions += [.cancelTimer, .shut(generation: generation, .normal, reason: "")]
    }
    state = .closed
    actions.append(.stateChanged(.closed))
    for (id, operation) in takeOperations() {
      actions.append(
        .deliver(id, operation.kind == .call ? .failed(Self.closedError) : .finished)
      )
    }
    return actions + [.endOfBatch, .answerConnect(Self.closedError)]
  }

  // MARK: What the socket reports

  /// The socket is open: the client introduces itself with this payload.
  mutating func opened(_ generation: UInt64, payload: JSON.Object) -> [Action] {
    guard generation == self.generation, case .connecting = state else { return [] }
    state = .initializing
    timerToken += 1
    return [
      .send(.connectionInit(payload: payload)), .stateChanged(.initializing),
      .setTimer(token: timerToken, acknowledgeTimeout),
    ]
  }

  /// A message came.
  mutating func received(
    _ generation: UInt64,
    _ message: ServerMessage,
    now: Duration
  ) -> [Action] {
    guard isCurrent(generation) else { return [] }
    switch (state, message) {
    case (.initializing, .connectionAck(let payload)):
      return greeted(Greeting(payload), now: now)
    case (.initializing, .ping(let payload)), (.ready, .ping(let payload)):
      return [.send(.pong(payload: payload))]
    case (.ready(let greeting, _), .next(let id, let payload)):
      return next(id, payload, epoch: greeting.epoch)
    case (.ready, .error(let id, let errors)):
      let error = errors.first.map { ClientError($0) }
      return over(
        id,
        .failed(error ?? ClientError(.internal, "the server ended it with an empty error"))
      )
    case (.ready, .complete(let id)):
      return over(id, .finished)
    case (.ready, .connectionAck), (_, .pong):
      return []
    default:
      return violated(
        generation,
        "the server sent something else than its greeting first",
        now: now
      )
    }
  }

  /// Something came that is not a message of the protocol.
  mutating func violated(_ generation: UInt64, _ reason: String, now: Duration) -> [Action] {
    guard isCurrent(generation) else { return [] }
    let error = ClientError(
      .protocolViolation,
      "the server does not speak graphql-transport-ws as expected: \(reason)",
      close: .badMessage
    )
    return [.shut(generation: generation, .badMessage, reason: "bad message")]
      + lost(Loss(code: .badMessage, error: error), now: now)
  }

  /// The socket is gone, or never came to be.
  mutating func closed(_ generation: UInt64, _ loss: Loss, now: Duration) -> [Action] {
    guard isCurrent(generation) else { return [] }
    return lost(loss, now: now)
  }

  /// The time of the last ``Action/setTimer(token:_:)`` is up.
  mutating func timerFired(_ token: UInt64, now: Duration) -> [Action] {
    guard token == timerToken else { return [] }
    switch state {
    case .backingOff:
      return open()
    case .initializing:
      let error = ClientError(
        .unreachable,
        "the server opened the socket but did not greet within \(acknowledgeTimeout)",
        retryable: true
      )
      return [.shut(generation: generation, .normal, reason: "no greeting")]
        + lost(Loss(code: nil, error: error), now: now)
    case .ready:
      let step = cuts.timeIsUp()
      return step.endsAfter ? [.endOfBatch] : step.startsTimer ? [watchCut()] : []
    case .disconnected, .connecting, .closed:
      return []
    }
  }

  // MARK: Steps

  private static let closedError = ClientError(.clientClosed, "this client was closed")

  /// Whether this generation's socket is the one in use.
  private func isCurrent(_ generation: UInt64) -> Bool {
    guard generation == self.generation else { return false }
    return switch state {
    case .connecting, .initializing, .ready: true
    case .disconnected, .backingOff, .closed: false
    }
  }

  private mutating func open() -> [Action] {
    generation += 1
    state = .connecting
    return [.stateChanged(.connecting(failures: failures)), .open(generation: generation)]
  }

  private mutating func greeted(_ greeting: Greeting, now: Duration) -> [Action] {
    state = .ready(greeting, since: now)
    resumes = greeting.features.contains("resume")
    refusals = 0
    isKept = true
    cuts.reset()
    let subscribes = operations.keys.sorted().compactMap { send($0) }
    return [.cancelTimer, .stateChanged(.ready(greeting))] + subscribes + [.answerConnect(nil)]
  }

  private mutating func send(_ id: OperationID) -> Action? {
    guard let operation = operations[id] else { return nil }
    operations[id]?.isSent = true
    let payload = operation.payload(resuming: resumes)
    return .send(.subscribe(id: id.wire, payload: payload))
  }

  private mutating func next(
    _ wire: String,
    _ payload: NextPayload,
    epoch: String
  ) -> [Action] {
    let id = OperationID(wire: wire)
    // An id that is not known was ended while this was under way.
    let operation = id.flatMap { operations[$0] }
    let payload = id.flatMap { operations[$0]?.noting(payload) } ?? payload
    var actions: [Action] = []
    let step = cuts.next(
      rev: payload.rev,
      more: payload.more,
      isValue: operation?.kind == .watch
    )
    if step.endsBefore { actions.append(.endOfBatch) }
    if let id, let operation {
      if operation.kind == .call { operations[id] = nil }
      actions.append(.deliver(id, .next(payload, epoch: epoch)))
    }
    if step.endsAfter { actions.append(.endOfBatch) }
    if step.startsTimer { actions.append(watchCut()) }
    return actions
  }

  private mutating func over(_ wire: String, _ delivery: Delivery) -> [Action] {
    guard let id = OperationID(wire: wire), operations.removeValue(forKey: id) != nil else {
      return []
    }
    return [.deliver(id, delivery)] + (cuts.isOpen ? [] : [.endOfBatch])
  }

  private mutating func watchCut() -> Action {
    timerToken += 1
    return .setTimer(token: timerToken, CutTracker.patience)
  }

  /// The connection is gone: tells every operation, and decides whether to come back.
  private mutating func lost(_ loss: Loss, now: Duration) -> [Action] {
    switch state {
    case .disconnected, .backingOff, .closed: return []
    case .connecting, .initializing: break
    case .ready(_, let since):
      // A server that greets and then closes at once must not be asked again every second.
      if now - since >= backoff.maximum { failures = 0 }
    }
    failures += 1
    if loss.code == .forbidden { refusals += 1 }
    guard isRetryable(loss) else { return fail(loss.error) }

    var actions = interrupt(loss.error)
    guard isKept || !operations.isEmpty else {
      return actions + disconnected(.disconnected) + [.answerConnect(loss.error)]
    }
    let delay = backoff.delay(
      afterFailures: failures,
      subscriptions: operations.count,
      asked: loss.retryAfter,
      random: chance()
    )
    state = .backingOff
    timerToken += 1
    actions += [
      .stateChanged(.backingOff(delay: delay, because: loss.error)),
      .setTimer(token: timerToken, delay), .answerConnect(loss.error),
    ]
    return actions
  }

  private func isRetryable(_ loss: Loss) -> Bool {
    switch loss.code {
    case nil: loss.error.retryable
    case .forbidden?: refreshesCredentials && refusals < Self.maximumRefusals
    case let code?: code.retryable
    }
  }

  /// Marks everything as unsent; what was sent and must not be repeated fails.
  private mutating func interrupt(_ error: ClientError) -> [Action] {
    var actions: [Action] = []
    for id in operations.keys.sorted() {
      guard let operation = operations[id], operation.isSent else { continue }
      if operation.isRepeatable {
        operations[id]?.isSent = false
        actions.append(.deliver(id, .interrupted))
      } else {
        operations[id] = nil
        actions.append(.deliver(id, .failed(Self.unanswered(error))))
      }
    }
    cuts.reset()
    return actions + [.endOfBatch]
  }

  private static func unanswered(_ error: ClientError) -> ClientError {
    ClientError(
      .connectionLost,
      "the connection was lost before the answer came, so it is not known whether it was done; "
        + "give the call a `key` to have it sent again safely (\(error.message))",
      retryable: true,
      close: error.close,
      underlying: error
    )
  }

  private mutating func fail(_ error: ClientError) -> [Action] {
    isKept = false
    refusals = 0
    let failures = takeOperations().map { Action.deliver($0.0, .failed(error)) }
    // The state comes first, so that whoever is told of a failure finds it explained there.
    return disconnected(.failed(error)) + failures + [.endOfBatch] + [.answerConnect(error)]
  }

  private mutating func disconnected(_ announced: ConnectionState) -> [Action] {
    state = .disconnected
    failures = 0
    return [.cancelTimer, .stateChanged(announced)]
  }

  private mutating func takeOperations() -> [(OperationID, Operation)] {
    defer { operations = [:] }
    return operations.sorted { $0.key < $1.key }
  }
}
