package import ObsTransport

/// Time as the client sees it: the loop's timers, or a clock that a test turns by hand.
package protocol Timing: Sendable {
  /// Time passed since some fixed moment.
  func now() -> Duration
  /// Runs `work` on the loop's thread after `delay`.
  func schedule(
    on loop: EventLoop,
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any ScheduledWork
}

/// Something that will happen unless it is called off.
package protocol ScheduledWork: Sendable {
  /// Calls it off; nothing happens when it is too late.
  func cancel()
}

extension LoopTimer: ScheduledWork {}

/// Timers of the event loop and the machine's steady clock.
struct LoopTiming: Timing {
  private let start = ContinuousClock.now

  func now() -> Duration { ContinuousClock.now - start }

  func schedule(
    on loop: EventLoop,
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any ScheduledWork {
    loop.schedule(after: delay, work)
  }
}
