internal import ObsClient
internal import ObsWire

/// Sends commits one after the other without waiting for each answer, a bounded number at a time.
///
/// They are applied in the order in which they are sent, and paced by the limits that the server told.
struct Pipeline {
  /// A commit that the server refused, or whose answer did not come.
  struct Failure: Error {
    /// Which one, from 1.
    var number: Int
    var change: DocumentChange
    var error: ClientError
    /// How many commits behind it were on their way already, and are applied.
    var appliedAfter = 0
  }

  private struct Waiting {
    let number: Int
    let change: DocumentChange
    let commit: StartedCommit
  }

  private let client: Client
  private let window: Int
  private var pace: Pace
  private var waiting: [Waiting] = []
  private var sent = 0
  /// How many are applied, without a gap.
  private(set) var applied = 0
  /// The answer of the last one.
  private(set) var last: Committed?

  init(_ client: Client, window: Int, perSecond: Double? = nil) {
    self.client = client
    self.window = window
    pace = Pace(client.state.limits, perSecond: perSecond)
  }

  /// Sends a commit, when there is room and time for it.
  ///
  /// - Throws: ``Failure`` of this or an earlier commit; then nothing is on its way any more. `CancellationError`.
  mutating func send(_ change: DocumentChange) async throws {
    if waiting.count >= window { try await settle() }
    try await pace.wait()
    sent += 1
    do throws(ClientError) {
      waiting.append(Waiting(number: sent, change: change, commit: try client.start(change)))
    } catch {
      throw Failure(number: sent, change: change, error: error)
    }
  }

  /// Waits for all answers.
  mutating func finish() async throws {
    while !waiting.isEmpty { try await settle() }
  }

  private mutating func settle() async throws {
    let oldest = waiting.removeFirst()
    do throws(ClientError) {
      last = try await oldest.commit.answer()
      applied += 1
    } catch {
      if error.code == .cancelled { throw CancellationError() }
      var failure = Failure(number: oldest.number, change: oldest.change, error: error)
      for other in waiting {
        if (try? await other.commit.answer()) != nil { failure.appliedAfter += 1 }
      }
      waiting = []
      throw failure
    }
  }
}

/// When the next commit may be sent: so many a second, and never more than the server reads at once.
struct Pace {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var refilled = ContinuousClock.now
  /// The fixed steps of a rate that was asked for.
  private let step: Duration?
  private var next = ContinuousClock.now

  /// Keeps a little below the limits of a greeting, so that other operations have room.
  init(_ limits: JSON.Object, perSecond asked: Double?) {
    perSecond = (limits["operationsPerSecond"]?.doubleValue ?? .infinity) * 0.9
    burst = max(1, (limits["operationBurst"]?.doubleValue ?? .infinity) * 0.5)
    tokens = burst
    step = asked.map { .seconds(1 / $0) }
  }

  /// Waits until it is time.
  mutating func wait() async throws {
    if let step {
      try await Task.sleep(until: next, clock: .continuous)
      next = max(next, ContinuousClock.now - .seconds(1)) + step
    }
    while true {
      let now = ContinuousClock.now
      if perSecond.isFinite {
        tokens = min(burst, tokens + (now - refilled) / .seconds(1) * perSecond)
        refilled = now
      }
      guard tokens < 1 else { break }
      try await Task.sleep(for: .seconds((1 - tokens) / perSecond))
    }
    tokens -= 1
  }
}

extension ConnectionState {
  /// What the server said of its limits; empty without a connection.
  var limits: JSON.Object {
    guard case .ready(let greeting) = self else { return [:] }
    return greeting.limits
  }
}
