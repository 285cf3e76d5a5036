import ObsWire

/// The protocol state of one connection: a pure state machine, no sockets, no models.
///
/// Messages go in, effects come out, and bytes are asked for when the socket has room
/// (`Peer+Outbox.swift`). Rules: PROTOCOL.md, "Messages".
struct Peer {
  enum Phase {
    case awaitingInit
    case authenticating
    case ready
    case closed
  }

  /// What a message asks of the hub.
  enum Effect {
    /// `connection_init` came: find out who it is, then call ``accept(_:acknowledgement:)``.
    case authenticate(JSON.Object)
    /// An operation begins.
    case start(serial: UInt64, SubscribePayload)
    /// The client has ended an operation.
    case left(OperationSlot)
    /// The connection must end.
    case close(CloseCode, reason: String)
  }

  let limits: Limits
  private(set) var phase = Phase.awaitingInit
  private(set) var caller = Caller()
  var meter: RateMeter

  var slots: [OperationSlot?] = []
  var serialsByID: [String: UInt64] = [:]
  private var freeSlots: [Int32] = []
  private var generation: UInt64 = 0

  // The outbox: see Peer+Outbox.swift.
  var outbox: [OutboxEntry] = []
  /// Stands for an outbox of one value: what a peer of a fan-out has, without an array of its own.
  var only: OperationSlot?
  var outboxBytes = 0
  var batch: [OutboxEntry] = []
  var batchPosition = 0
  var batchRev: Int64 = 0
  var batchSeq: Int64?
  var framesLeft = 0
  var large: LargeFrame?
  var counts = Counts()

  /// What has left since the hub looked last.
  struct Counts {
    var frames = 0
    /// Those of `frames` that only said that the client has the value already.
    var unchanged = 0
    var events = 0
    var answers = 0
  }

  init(limits: Limits, now: UInt64) {
    self.limits = limits
    meter = RateMeter(
      perSecond: limits.operationsPerSecond,
      burst: limits.operationBurst,
      now: now
    )
  }

  /// Active operations, whatever their kind.
  var operationCount: Int { serialsByID.count }

  // MARK: Messages

  mutating func receive(_ message: ClientMessage, now: UInt64) -> Effect? {
    if phase == .closed { return nil }
    switch message {
    case .connectionInit(let payload):
      guard phase == .awaitingInit else {
        return close(.tooManyInit, "too many init")
      }
      phase = .authenticating
      return .authenticate(payload)
    case .ping(let payload):
      return send(ServerMessage.pong(payload: payload).encoded)
    case .pong:
      return nil
    case .subscribe(let id, let payload):
      return subscribe(id, payload, now: now)
    case .complete(let id):
      guard let serial = serialsByID[id], let slot = slot(serial) else { return nil }
      remove(slot)
      return .left(slot)
    }
  }

  private mutating func subscribe(
    _ id: String,
    _ payload: SubscribePayload,
    now: UInt64
  ) -> Effect? {
    guard phase == .ready else { return close(.unauthorized, "unauthorized") }
    if serialsByID[id] != nil {
      return close(.subscriberExists, "subscriber for ID already exists")
    }
    guard meter.take(at: now) else {
      return refuse(
        id,
        WireError(
          .rateLimited,
          """
          over limits.operationsPerSecond of \(limits.operationsPerSecond) for more than 5 s; \
          start fewer operations
          """,
          extensions: ["limit": .double(limits.operationsPerSecond), "retryable": true]
        )
      )
    }
    guard operationCount < limits.subscriptionsPerConnection else {
      return refuse(
        id,
        WireError(
          .tooManySubscriptions,
          """
          the connection has \(operationCount) active operations, the most that \
          limits.subscriptionsPerConnection allows; complete one first
          """,
          extensions: ["limit": .int(Int64(limits.subscriptionsPerConnection))]
        )
      )
    }
    return .start(serial: add(id), payload)
  }

  private mutating func refuse(_ id: String, _ error: WireError) -> Effect? {
    refusals.append(error.code.rawValue)
    return send(ServerMessage.error(id: id, errors: [error]).encoded)
  }

  /// Codes of errors sent since the hub looked last.
  var refusals: [String] = []

  /// The client is who it says: it may start operations.
  mutating func accept(_ caller: Caller, acknowledgement: JSON.Object) -> Effect? {
    guard phase == .authenticating else { return nil }
    phase = .ready
    self.caller = caller
    return send(ServerMessage.connectionAck(payload: acknowledgement).encoded)
  }

  /// The connection ends: nothing is accepted or sent any more.
  mutating func close(_ code: CloseCode, _ reason: String) -> Effect {
    phase = .closed
    return .close(code, reason: reason)
  }

  // MARK: Slots

  private mutating func add(_ id: String) -> UInt64 {
    let index = freeSlots.popLast().map(Int.init) ?? slots.count
    if index == slots.count { slots.append(nil) }
    generation += 1
    let serial = generation << 20 | UInt64(index)
    slots[index] = OperationSlot(id: id, serial: serial)
    serialsByID[id] = serial
    return serial
  }

  /// The slot of an operation that is still active.
  func slot(_ serial: UInt64) -> OperationSlot? {
    let index = Int(serial & 0xF_FFFF)
    guard index < slots.count, let slot = slots[index], slot.serial == serial else { return nil }
    return slot
  }

  /// Frees a slot.
  mutating func remove(_ slot: OperationSlot) {
    if slot.gone { return }
    if slot.leaving { framesLeft -= 1 }
    slot.gone = true
    slot.ending = true
    slot.leaving = false
    slot.pending = nil
    let index = Int(slot.serial & 0xF_FFFF)
    slots[index] = nil
    serialsByID[slot.id] = nil
    freeSlots.append(Int32(index))
  }
}
