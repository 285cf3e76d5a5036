/// Bounds the WebSocket handshakes a second, so that a server that everybody comes back to can serve those it has let in.
///
/// Who is refused is told when to try again, and not all the same: each gets the next second that has room, as if they
/// stood in a queue. Times are monotonic nanoseconds.
struct HandshakeMeter {
  /// The longest wait that is asked for, in seconds: many refusals must not keep others out for long.
  static let longestWait = 10

  private static let second: UInt64 = 1_000_000_000
  private var bucket: TokenBucket
  /// Until when the room to come is given away to those who were refused.
  private var promised: UInt64 = 0

  init(perSecond: Double, burst: Double, now: UInt64) {
    bucket = TokenBucket(perSecond: perSecond, burst: burst, now: now)
  }

  /// Takes one handshake; nil, or how many seconds later it should be tried again.
  mutating func take(at now: UInt64) -> Int? {
    bucket.refill(at: now)
    if bucket.tokens >= 1 {
      bucket.take()
      return nil
    }
    let latest = now &+ UInt64(Self.longestWait) * Self.second
    promised = min(max(promised, now) &+ bucket.time(for: 1), latest)
    return Int((promised &- now + Self.second - 1) / Self.second)
  }
}
