import ObsWire
import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct EventQueueTests {
  var queue = EventQueue(capacity: 4)

  private mutating func append(_ numbers: ClosedRange<Int64>) {
    for number in numbers {
      queue.append(
        Reply(NextPayload(data: .int(number), extensions: ["event": .int(number)]), epoch: "e")
      )
    }
  }

  private mutating func take() -> (number: Int64?, afterGap: Bool)? {
    guard case .success(let event?) = queue.take() else { return nil }
    return (event.reply.event, event.afterGap)
  }

  @Test("every event comes in order")
  mutating func order() {
    append(1...3)
    #expect(take()?.number == 1)
    append(4...5)
    #expect((2...5).map { _ in take()?.number } == [2, 3, 4, 5])
    #expect(take() == nil)
    #expect(queue.count == 0)
  }

  @Test("it is full at its capacity, and has room again at half")
  mutating func fullAndRoom() {
    append(1...3)
    #expect(!queue.isFull)
    append(4...6)
    #expect(queue.isFull)
    for _ in 1...3 { _ = take() }
    #expect(!queue.hasRoom)
    _ = take()
    #expect(queue.hasRoom)
  }

  @Test("the first event after a lost connection is marked")
  mutating func gap() {
    append(1...1)
    queue.interrupt()
    append(2...3)
    #expect((1...3).map { _ in take()?.afterGap } == [false, true, false])
  }

  @Test("events that wait are shown before the end")
  mutating func ending() {
    append(1...1)
    queue.finish(.failure(ClientError(.overflow, "x")))
    append(2...2)
    #expect(take()?.number == 1)
    guard case .failure(let error) = queue.take() else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .overflow)
    guard case .success(nil) = queue.take() else {
      Issue.record("no end")
      return
    }
  }
}
