import ObsTransport
import Synchronization

@testable import ObsClient

/// A clock that stands still until the test lets a wait end.
final class ManualTiming: Timing {
  /// Something that waits, until the test lets it happen.
  final class Wait: ScheduledWork {
    let delay: Duration
    private let loop: EventLoop
    private let work: Mutex<(@Sendable () -> Void)?>

    init(_ delay: Duration, _ loop: EventLoop, _ work: @escaping @Sendable () -> Void) {
      self.delay = delay
      self.loop = loop
      self.work = Mutex(work)
    }

    func cancel() { work.withLock { $0 = nil } }

    /// Lets the time pass; nothing happens when the wait was called off.
    func end() {
      loop.execute { [self] in
        let due = work.withLock { work in
          defer { work = nil }
          return work
        }
        due?()
      }
    }
  }

  private let time = Mutex(Duration.zero)
  private let waits: AsyncStream<Wait>
  private let continuation: AsyncStream<Wait>.Continuation

  init() {
    (waits, continuation) = AsyncStream.makeStream(of: Wait.self)
  }

  func now() -> Duration { time.withLock { $0 } }

  /// Moves the time that ``now()`` tells; ends no wait.
  func advance(by duration: Duration) { time.withLock { $0 += duration } }

  func schedule(
    on loop: EventLoop,
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any ScheduledWork {
    let wait = Wait(delay, loop, work)
    continuation.yield(wait)
    return wait
  }

  /// The next wait of this kind; others are passed over.
  func wait(where isWanted: (Duration) -> Bool = { $0 != greeting }) async throws -> Wait {
    for await wait in waits where isWanted(wait.delay) { return wait }
    throw CancellationError()
  }

  /// How long the clients of these tests wait for a greeting: unlike any back-off.
  static let greeting: Duration = .seconds(99)
}

extension ClientConfiguration {
  /// For tests: no spread, and time by hand.
  static func manual(_ timing: ManualTiming) -> ClientConfiguration {
    var configuration = ClientConfiguration()
    configuration.acknowledgeTimeout = ManualTiming.greeting
    configuration.chance = { 0.5 }
    configuration.timing = timing
    return configuration
  }
}
