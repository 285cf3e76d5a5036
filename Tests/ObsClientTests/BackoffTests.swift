import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct BackoffTests {
  @Test("waits double from 1 to 16 s")
  func doubling() {
    let waits = (1...7).map { Backoff().delay(afterFailures: $0, random: 0.5) }
    #expect(waits == [1, 2, 4, 8, 16, 16, 16].map { .seconds($0) })
  }

  @Test("the spread is ± 50 %")
  func spread() {
    #expect(Backoff().delay(afterFailures: 3, random: 0) == .seconds(2))
    #expect(Backoff().delay(afterFailures: 3, random: 1) == .seconds(6))
  }

  @Test("who has more to ask for waits longer, and never longer than the longest wait")
  func weighted() {
    func waits(_ subscriptions: Int) -> [Duration] {
      (1...5).map {
        Backoff().delay(afterFailures: $0, subscriptions: subscriptions, random: 0.5)
      }
    }
    #expect(waits(0) == waits(10))
    #expect(waits(10) == [1, 2, 4, 8, 16].map { .seconds($0) })
    #expect(waits(40) == [2, 4, 8, 16, 16].map { .seconds($0) })
    #expect(waits(160) == [3, 6, 12, 16, 16].map { .seconds($0) })
    #expect(waits(.max).allSatisfy { $0 <= .seconds(16) })
  }

  @Test("a server that says when is not asked earlier, and not by all in the same moment")
  func asked() {
    func wait(_ seconds: Int, _ random: Double, _ subscriptions: Int = 0) -> Duration {
      Backoff().delay(
        afterFailures: 9,
        subscriptions: subscriptions,
        asked: .seconds(seconds),
        random: random
      )
    }
    #expect(wait(5, 0) == .seconds(5))
    #expect(wait(5, 1) == .seconds(7.5))
    #expect(wait(5, 1, 40) == .seconds(10))
    // Nonsense is bounded on both sides.
    #expect(wait(0, 0) == .seconds(1))
    #expect(wait(86_400, 0) == .seconds(300))
  }

  @Test("any number of failures gives a wait within the bounds")
  func bounds() {
    for failures in [0, 1, 64, 1_000_000, Int.max] {
      let wait = Backoff().delay(afterFailures: failures, random: 0.999)
      #expect(wait > .zero && wait <= .seconds(24))
    }
  }
}
