/// How long a client waits before it connects again.
///
/// The wait doubles with each failure in a row, from `minimum` to `maximum`, and is then spread by ± `jitter`, so that
/// many clients of one server that went away do not come back in the same moment.
public struct Backoff: Sendable {
  /// The wait after the first failure, before the spread.
  ///
  /// Default 1 s.
  public var minimum: Duration = .seconds(1)
  /// The longest wait, before the spread.
  ///
  /// Default 16 s.
  public var maximum: Duration = .seconds(16)
  /// The spread as a part of the wait, from 0 (none) to 1.
  ///
  /// Default 0.5: a wait of 4 s becomes one of 2 to 6 s.
  public var jitter: Double = 0.5

  /// Makes the default: 1 to 16 s, ± 50 %.
  public init() {}

  /// Makes one with these bounds.
  public init(minimum: Duration, maximum: Duration, jitter: Double = 0.5) {
    self.minimum = minimum
    self.maximum = maximum
    self.jitter = jitter
  }

  /// The wait after so many failures in a row (1 is the first), with a random number from 0 up to 1.
  func delay(afterFailures failures: Int, random: Double) -> Duration {
    // 2^20 times the minimum is beyond any maximum in use, and keeps the shift in range.
    let doubled = minimum * (1 << min(max(failures - 1, 0), 20))
    return min(doubled, maximum) * (1 + jitter * (2 * random - 1))
  }
}
