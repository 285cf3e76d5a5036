import ObsModel
import ObsWire

/// The one running evaluation of a query, shared by all who asked the same with the same rights.
@ObsActor
final class LiveQuery {
  let id: LiveQueryID
  let key: ShareKey
  /// The last value; nil until the first evaluation.
  private(set) var current: Frame?
  /// What subscribers were given last.
  private var published: Frame?
  /// Operations that use it, whether or not they have got a value yet.
  var subscribers = 0
  /// Operations that wait for the first value.
  var waiting: [Waiter] = []
  /// Operations that asked for explanations.
  var explaining: Set<OperationKey> = []
  /// Operations whose values carry their digest.
  var resuming: Set<OperationKey> = []
  /// When it lost its last subscriber (monotonic nanoseconds); nil while it has one.
  var idleSince: UInt64?

  /// An operation that waits for its first value.
  struct Waiter {
    let key: OperationKey
    /// The digest of the value that its client has.
    let since: String?
  }

  private let engine: QueryEngine
  private let body: any Evaluator
  private var evaluation: (any Evaluation)?
  private var breaker: Breaker
  /// A timer will wake the query that the breaker holds back.
  private var wakeIsDue = false
  private(set) var closed = false

  init(id: LiveQueryID, key: ShareKey, engine: QueryEngine, body: any Evaluator) {
    self.id = id
    self.key = key
    self.engine = engine
    self.body = body
    breaker = Breaker(threshold: engine.limits.evaluationTime)
  }

  /// The value to publish if it differs from the one published last.
  func takeChange() -> Frame? {
    guard let current, current !== published else { return nil }
    defer { published = current }
    if current.bytes == published?.bytes { return nil }
    if !resuming.isEmpty { makeDigest(of: current) }
    return current
  }

  /// What an operation is given first, and whether its client has that value already.
  func first(_ frame: Frame, for waiter: Waiter) -> (frame: Frame, isKnown: Bool) {
    if waiter.since != nil || resuming.contains(waiter.key) { makeDigest(of: frame) }
    let isKnown = waiter.since != nil && waiter.since == frame.digest
    return (explaining.contains(waiter.key) ? explained(frame) : frame, isKnown)
  }

  private func makeDigest(of frame: Frame) {
    if frame.makeDigest() { engine.metrics.digests.add(1) }
  }

  /// Begins to evaluate: the first value comes at the end of this turn.
  func start() {
    evaluation = ObservationsEvaluation<Outcome>({ self.evaluate() }, deliver: { self.deliver($0) })
  }

  /// Frees everything it read; the object is out of use afterwards.
  func close() {
    closed = true
    evaluation?.end()
    evaluation = nil
    body.end()
  }

  private func evaluate() -> Outcome {
    if breaker.holdsBack(at: Clocks.monotonic()) { return .satOut }
    let started = Clocks.threadCPU()
    let outcome = body.evaluate()
    let cost = Clocks.threadCPU() &- started
    breaker.evaluated(cost: cost, at: Clocks.monotonic())
    engine.metrics.evaluated(nanoseconds: cost)
    return outcome
  }

  private func deliver(_ outcome: Outcome) -> Bool {
    if closed { return false }
    switch outcome {
    case .value(let bytes):
      guard bytes.count <= engine.limits.valueBytes else {
        return publish(encodedErrors(tooLarge(bytes.count)), isError: true)
      }
      return publish(bytes)
    case .failure(let error):
      return publish(encodedErrors(error), isError: true)
    case .finished:
      engine.ended(self, nil)
      return false
    case .ended(let error):
      engine.ended(self, error)
      return false
    case .satOut:
      sitOut()
      return true
    }
  }

  private func publish(_ bytes: [UInt8], isError: Bool = false) -> Bool {
    let late = breaker.caughtUp()
    if late { engine.changedStanding(self, behind: false) }
    if let current, current.bytes == bytes { return true }
    let first = current == nil
    current = Frame(
      bytes,
      isError: isError,
      deferred: late,
      explanation: explaining.isEmpty ? nil : explanation()
    )
    engine.metrics.encoded()
    if !first { engine.changed(self) }
    return true
  }

  /// The same value, with what is to be said of it.
  private func explained(_ frame: Frame) -> Frame {
    if frame.explanation != nil { return frame }
    return Frame(
      frame.bytes,
      isError: frame.isError,
      deferred: frame.deferred,
      explanation: explanation(),
      digest: frame.digest
    )
  }

  private func explanation() -> [UInt8]? {
    guard var facts = body.explanation else { return nil }
    facts["subscribers"] = .int(Int64(subscribers))
    return JSON.object(facts).encoded
  }

  private func sitOut() {
    if breaker.satOut() { engine.changedStanding(self, behind: true) }
    if wakeIsDue { return }
    wakeIsDue = true
    let pause = breaker.pause(at: Clocks.monotonic())
    // A priority of its own: this runs inside an evaluation, whose priority no other task may have.
    Task(priority: .medium) { @ObsActor [weak self] in
      try? await Task.sleep(for: .nanoseconds(Int64(pause)))
      guard let self, !self.closed else { return }
      self.wakeIsDue = false  // Should it come early, the query sits out once more.
      self.evaluation?.wake()
    }
  }

  private func tooLarge(_ size: Int) -> WireError {
    WireError(
      .resultTooLarge,
      "the value has \(size) bytes, over limits.valueBytes of \(engine.limits.valueBytes)",
      extensions: ["limit": .int(Int64(engine.limits.valueBytes))]
    )
  }

  private func encodedErrors(_ error: WireError) -> [UInt8] {
    Array("null,\"errors\":".utf8) + JSON.array([error.json]).encoded
  }
}

/// What makes two requests the same: then they share one live query.
struct ShareKey: Hashable, Sendable {
  /// Names and canonical arguments (or, for a carrier document, its resolved fields).
  let text: [UInt8]
  /// The rights of those who share it; nil if the query does not depend on them.
  let rights: Caller?
}

/// Rations an expensive query to a fifth of the model thread.
///
/// After an evaluation of more than `threshold` CPU time the query may be evaluated again once four
/// times that long has passed.
struct Breaker {
  let threshold: UInt64
  private var closedUntil: UInt64 = 0
  private var behind = false

  init(threshold: Duration) { self.threshold = Clocks.nanoseconds(threshold) }

  func holdsBack(at now: UInt64) -> Bool { now < closedUntil }

  mutating func evaluated(cost: UInt64, at now: UInt64) {
    closedUntil = cost > threshold ? now &+ 4 &* cost : 0
  }

  /// Notes that the query was not evaluated; true the first time since it had a value of now.
  mutating func satOut() -> Bool {
    defer { behind = true }
    return !behind
  }

  /// How long the query must wait yet.
  func pause(at now: UInt64) -> UInt64 { closedUntil > now ? closedUntil &- now : 0 }

  /// Notes that the query has a value of now.
  ///
  /// True if it was behind.
  mutating func caughtUp() -> Bool {
    defer { behind = false }
    return behind
  }
}
