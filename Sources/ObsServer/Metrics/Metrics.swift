import ObsModel
import Synchronization

/// A number that only grows, or a level that is set; readable from any thread.
final class Counter: Sendable {
  private let storage = Atomic<Int>(0)
  var value: Int { storage.load(ordering: .relaxed) }
  func add(_ amount: Int) { storage.wrappingAdd(amount, ordering: .relaxed) }
  func set(_ level: Int) { storage.store(level, ordering: .relaxed) }
}

/// Counts durations in buckets, as a Prometheus histogram.
final class Histogram: Sendable {
  /// Upper bounds in seconds; one more bucket takes the rest.
  static let bounds = [
    0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5,
  ]

  private struct State {
    var counts = [Int](repeating: 0, count: Histogram.bounds.count + 1)
    var nanoseconds: UInt64 = 0
  }

  private let state = Mutex(State())

  func observe(nanoseconds: UInt64) {
    let seconds = Double(nanoseconds) * 1e-9
    let bucket =
      Histogram.bounds.firstIndex { seconds <= $0 } ?? Histogram.bounds.count
    state.withLock { state in
      state.counts[bucket] += 1
      state.nanoseconds &+= nanoseconds
    }
  }

  func snapshot() -> (counts: [Int], seconds: Double) {
    state.withLock { ($0.counts, Double($0.nanoseconds) * 1e-9) }
  }
}

/// Everything a server counts.
///
/// Written where it happens, read by `/metrics` and `statistics()`.
final class Metrics: Sendable {
  // ObsActor
  let liveQueries = Counter()
  let turns = Counter()
  let evaluations = Counter()
  let encodings = Counter()
  let deferrals = Counter()
  let digests = Counter()
  let turnTime = Histogram()
  let evaluationTime = Histogram()
  // The socket loop
  let framesSent = Counter()
  let framesSkipped = Counter()
  let framesUnchanged = Counter()
  let eventsSent = Counter()
  let answersSent = Counter()
  private let refusals = Mutex<[String: Int]>([:])
  private let closes = Mutex<[UInt16: Int]>([:])

  func turn(_ turn: Turn) {
    turns.add(1)
    turnTime.observe(nanoseconds: turn.nanoseconds)
  }

  func evaluated(nanoseconds: UInt64) {
    evaluations.add(1)
    evaluationTime.observe(nanoseconds: nanoseconds)
  }

  func encoded() { encodings.add(1) }

  /// A request was answered with this error code.
  func refused(_ code: String) { refusals.withLock { $0[code, default: 0] += 1 } }

  /// The server closed a connection with this code.
  func closed(_ code: UInt16) { closes.withLock { $0[code, default: 0] += 1 } }

  var refusedByCode: [String: Int] { refusals.withLock { $0 } }
  var closedByCode: [UInt16: Int] { closes.withLock { $0 } }
}
