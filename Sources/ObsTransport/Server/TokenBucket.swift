/// Allows so many things a second on average, and a burst of them at once: a token each.
///
/// Times are monotonic nanoseconds.
package struct TokenBucket: Sendable {
  private let perNanosecond: Double
  private let burst: Double
  private var refilled: UInt64
  /// What is left; below zero when more was taken than there was.
  package private(set) var tokens: Double

  /// Makes a full bucket.
  package init(perSecond: Double, burst: Double, now: UInt64) {
    perNanosecond = perSecond * 1e-9
    self.burst = burst
    tokens = burst
    refilled = now
  }

  /// Puts in what the time since the last call is worth.
  package mutating func refill(at now: UInt64) {
    if now > refilled { tokens = min(burst, tokens + Double(now - refilled) * perNanosecond) }
    refilled = max(refilled, now)
  }

  /// Takes a token, whether or not there is one.
  package mutating func take() { tokens -= 1 }

  /// Whether at least half of the burst is free again.
  package var isCalm: Bool { tokens >= burst / 2 }

  /// How long so many tokens take to come, in nanoseconds.
  package func time(for count: Double) -> UInt64 { UInt64(count / perNanosecond) }
}
