internal import Glibc

/// How long a client waits before it connects again.
///
/// The wait doubles with each failure in a row, from `minimum` to `maximum`, and is then spread by ± `jitter`, so that
/// many clients of one server that went away do not come back in the same moment. A client with more than ten
/// subscriptions waits longer, up to `maximum`: twice as long with 40, three times with 160. So many clients that need
/// little are served before the few that need much. A server that says when to come back (`Retry-After`) is not asked earlier.
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
  ///
  /// - Parameters:
  ///   - failures: how many attempts have failed in a row.
  ///   - subscriptions: how many operations the server is asked for after the connection.
  ///   - asked: what the server said to wait, if it did.
  ///   - random: from 0 up to 1.
  /// - Returns: the wait.
  func delay(
    afterFailures failures: Int,
    subscriptions: Int = 0,
    asked: Duration? = nil,
    random: Double
  ) -> Duration {
    let weight = Self.weight(of: subscriptions)
    if let asked {
      // What the server says takes its load into account, so it replaces the doubling. Spread to later moments only.
      return max(min(asked, Self.longestAsked), minimum) * (1 + jitter * weight * random)
    }
    // 2^20 times the minimum is beyond any maximum in use, and keeps the shift in range.
    let doubled = minimum * (1 << min(max(failures - 1, 0), 20))
    return min(doubled * weight, maximum) * (1 + jitter * (2 * random - 1))
  }

  /// More than this is not waited for, whatever a server says.
  static let longestAsked: Duration = .seconds(300)

  /// How many subscriptions are no reason to wait longer.
  private static let lightLoad = 10

  private static func weight(of subscriptions: Int) -> Double {
    1 + 0.5 * log2(Double(max(subscriptions, lightLoad)) / Double(lightLoad))
  }
}
