import ObsWire
import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct NewestValueTests {
  var newest = NewestValue()

  private mutating func offer(_ value: JSON, skipped: Int64 = 0) {
    newest.offer(
      Reply(NextPayload(data: value, extensions: ["skipped": .int(skipped)]), epoch: "e")
    )
  }

  private mutating func taken() -> JSON? {
    guard case .success(let reply?) = newest.take(), case .value(let value) = reply.content else {
      return nil
    }
    return value
  }

  /// Whether a reader would have to wait.
  private mutating func isWaiting() -> Bool {
    guard case nil = newest.take() else { return false }
    return true
  }

  @Test("a slow reader gets the newest value, and the number of those passed over here and there")
  mutating func conflation() throws {
    offer(1)
    offer(2, skipped: 3)
    offer(3)
    let reply = try #require(try newest.take()?.get())
    #expect(reply.content == .value(3))
    #expect(reply.skipped == 5)
    #expect(isWaiting())
  }

  @Test("a value equal to the last one shown is not shown again")
  mutating func equalValue() {
    offer(["a": 1])
    #expect(taken() == ["a": 1])
    offer(["a": 1.0])
    #expect(isWaiting())
  }

  @Test("there and back while nobody looked is nothing new")
  mutating func thereAndBack() {
    offer(1)
    #expect(taken() == 1)
    offer(2)
    offer(1)
    #expect(isWaiting())
    offer(3)
    #expect(taken() == 3)
  }

  @Test("the same value after an error is shown again")
  mutating func healed() {
    offer(1)
    #expect(taken() == 1)
    newest.offer(
      Reply(NextPayload(data: .null, errors: [WireError(.invalidType, "x")]), epoch: "e")
    )
    #expect(!isWaiting())
    offer(1)
    #expect(taken() == 1)
  }

  @Test("a value that waits is shown before the end, and an error is thrown once")
  mutating func ending() {
    offer(1)
    newest.finish(.failure(ClientError(.internal, "x")))
    offer(2)
    #expect(taken() == 1)
    guard case .failure = newest.take() else {
      Issue.record("no error")
      return
    }
    guard case .success(nil) = newest.take() else {
      Issue.record("no end")
      return
    }
  }
}
