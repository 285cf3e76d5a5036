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

  @Test("any number of failures gives a wait within the bounds")
  func bounds() {
    for failures in [0, 1, 64, 1_000_000, Int.max] {
      let wait = Backoff().delay(afterFailures: failures, random: 0.999)
      #expect(wait > .zero && wait <= .seconds(24))
    }
  }
}
