import ObsTransport

/// Meters the operations that one connection starts.
struct RateMeter {
  /// Over the rate for this long (nanoseconds), operations are refused.
  static let patience: UInt64 = 5_000_000_000

  private var bucket: TokenBucket
  private var overSince: UInt64?

  init(perSecond: Double, burst: Double, now: UInt64) {
    bucket = TokenBucket(perSecond: perSecond, burst: burst, now: now)
  }

  /// Takes one token; it may go into debt.
  ///
  /// False when the peer has been over the rate too long.
  mutating func take(at now: UInt64) -> Bool {
    refill(at: now)
    bucket.take()
    if bucket.tokens >= 0 { return true }
    let since = overSince ?? now
    overSince = since
    return now &- since < RateMeter.patience
  }

  /// How long to stop reading from the peer, in nanoseconds; nil while it keeps to the rate.
  mutating func pause(at now: UInt64) -> UInt64? {
    refill(at: now)
    return bucket.tokens < 0 ? bucket.time(for: -bucket.tokens) + 1 : nil
  }

  private mutating func refill(at now: UInt64) {
    bucket.refill(at: now)
    if bucket.isCalm { overSince = nil }
  }
}
