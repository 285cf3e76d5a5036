/// A token bucket for the operations that one connection starts.
struct RateMeter {
  /// Over the rate for this long (nanoseconds), operations are refused.
  static let patience: UInt64 = 5_000_000_000

  private let perNanosecond: Double
  private let burst: Double
  private var tokens: Double
  private var refilled: UInt64
  private var overSince: UInt64?

  init(perSecond: Double, burst: Double, now: UInt64) {
    perNanosecond = perSecond * 1e-9
    self.burst = burst
    tokens = burst
    refilled = now
  }

  /// Takes one token; it may go into debt.
  ///
  /// False when the peer has been over the rate too long.
  mutating func take(at now: UInt64) -> Bool {
    refill(at: now)
    tokens -= 1
    if tokens >= 0 { return true }
    let since = overSince ?? now
    overSince = since
    return now &- since < RateMeter.patience
  }

  /// How long to stop reading from the peer, in nanoseconds; nil while it keeps to the rate.
  mutating func pause(at now: UInt64) -> UInt64? {
    refill(at: now)
    return tokens < 0 ? UInt64(-tokens / perNanosecond) + 1 : nil
  }

  private mutating func refill(at now: UInt64) {
    if now > refilled { tokens = min(burst, tokens + Double(now - refilled) * perNanosecond) }
    refilled = max(refilled, now)
    if tokens >= burst / 2 { overSince = nil }
  }
}
