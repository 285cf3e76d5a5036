import ObsWire

@testable import ObsClient

/// Drives a ``ConnectionMachine`` by hand, and keeps what it asked for in readable form.
struct MachineHarness {
  var machine: ConnectionMachine
  var now: Duration = .zero
  /// What the last event made the machine ask for.
  private(set) var actions: [ConnectionMachine.Action] = []
  private(set) var generation: UInt64 = 0
  private(set) var token: UInt64 = 0
  /// The wait that was asked for last.
  private(set) var delay: Duration?

  /// `chance` 0.5 is no spread.
  init(refreshesCredentials: Bool = false, chance: Double = 0.5) {
    machine = ConnectionMachine(
      backoff: Backoff(),
      refreshesCredentials: refreshesCredentials,
      chance: { chance }
    )
  }

  mutating func take(_ event: (inout ConnectionMachine) -> [ConnectionMachine.Action]) {
    actions = event(&machine)
    for action in actions {
      switch action {
      case .open(let generation): self.generation = generation
      case .setTimer(let token, let delay): (self.token, self.delay) = (token, delay)
      default: break
      }
    }
  }

  mutating func start(_ id: UInt64, _ kind: Operation.Kind, key: String? = nil) {
    var live = LiveOptions()
    live.key = key
    let payload = SubscribePayload(operationName: "op\(id)", live: live)
    take { $0.start(OperationID(rawValue: id), Operation(kind, payload)) }
  }

  mutating func end(_ id: UInt64) {
    take { $0.end(OperationID(rawValue: id)) }
  }

  mutating func open() {
    let generation = generation
    take { $0.opened(generation, payload: [:]) }
  }

  mutating func receive(_ message: ServerMessage) {
    let (generation, now) = (generation, now)
    take { $0.received(generation, message, now: now) }
  }

  mutating func acknowledge(epoch: String = "e1") {
    receive(.connectionAck(payload: ["epoch": .string(epoch)]))
  }

  mutating func becomeReady(epoch: String = "e1") {
    open()
    acknowledge(epoch: epoch)
  }

  mutating func lose(_ code: CloseCode? = nil, retryable: Bool = true) {
    let (generation, now) = (generation, now)
    let error = ClientError(.connectionLost, "gone", retryable: retryable, close: code)
    take { $0.closed(generation, .init(code: code, error: error), now: now) }
  }

  mutating func fireTimer() {
    let (token, now) = (token, now)
    take { $0.timerFired(token, now: now) }
  }

  /// The actions as words, without changes of state and batches.
  var log: [String] {
    actions.compactMap { action in
      switch action {
      case .open: "open"
      case .shut(_, let code, _): "shut \(code.rawValue)"
      case .send(.connectionInit): "init"
      case .send(.ping): "ping"
      case .send(.pong): "pong"
      case .send(.subscribe(let id, let payload)):
        "subscribe \(id)" + (payload.live.key.map { " key \($0)" } ?? "")
      case .send(.complete(let id)): "complete \(id)"
      case .setTimer(_, let delay): "timer \(delay)"
      case .cancelTimer: "cancel timer"
      case .deliver(let id, .next(let payload, let epoch)):
        "next \(id.wire) \(payload.data) \(epoch)"
      case .deliver(let id, .finished): "finished \(id.wire)"
      case .deliver(let id, .failed(let error)): "failed \(id.wire) \(error.code)"
      case .deliver(let id, .interrupted): "interrupted \(id.wire)"
      case .answerConnect(let error): "connect \(error.map { "\($0.code)" } ?? "ok")"
      case .endOfBatch, .stateChanged: nil
      }
    }
  }

  /// The states that the last event went through.
  var states: [String] {
    actions.compactMap { action in
      guard case .stateChanged(let state) = action else { return nil }
      return switch state {
      case .disconnected: "disconnected"
      case .connecting(let failures): "connecting \(failures)"
      case .initializing: "initializing"
      case .ready(let greeting): "ready \(greeting.epoch)"
      case .backingOff: "backing off"
      case .failed(let error): "failed \(error.code)"
      case .closed: "closed"
      }
    }
  }

  var batchEnds: Int {
    actions.count { if case .endOfBatch = $0 { true } else { false } }
  }
}
