import ObsWire
import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct ConnectionMachineTests {
  var harness = MachineHarness()

  @Test("the first operation connects, and is sent after the greeting")
  mutating func firstOperation() {
    harness.start(1, .watch)
    #expect(harness.log == ["open"])
    harness.open()
    #expect(harness.log == ["init", "timer 10.0 seconds"])
    #expect(harness.states == ["initializing"])
    harness.acknowledge()
    #expect(harness.log == ["cancel timer", "subscribe 1", "connect ok"])
    #expect(harness.states == ["ready e1"])
  }

  @Test("an operation started on a ready connection is sent at once")
  mutating func startWhenReady() {
    harness.start(1, .watch)
    harness.becomeReady()
    harness.start(2, .stream)
    #expect(harness.log == ["subscribe 2"])
  }

  @Test("values go to their operation; those of ids that are not known go nowhere")
  mutating func routing() {
    harness.start(1, .watch)
    harness.becomeReady()
    harness.receive(.next(id: "1", payload: NextPayload(data: 7)))
    #expect(harness.log == ["next 1 7 e1"])
    harness.receive(.next(id: "99", payload: NextPayload(data: 7)))
    #expect(harness.log.isEmpty)
    harness.receive(.complete(id: "someone else's"))
    #expect(harness.log.isEmpty)
  }

  private mutating func value(_ id: Int, rev: Int64, more: Bool = false) {
    var extensions: JSON.Object = ["rev": .int(rev)]
    if more { extensions["more"] = true }
    harness.receive(.next(id: "\(id)", payload: NextPayload(data: 1, extensions: extensions)))
  }

  @Test("a cut ends with the value that announces no further one")
  mutating func batches() {
    for id in 1...3 as ClosedRange<UInt64> { harness.start(id, id == 3 ? .call : .watch) }
    harness.becomeReady()
    value(1, rev: 5, more: true)
    #expect(harness.batchEnds == 0)
    // An answer of an earlier turn, an event and an end stand between, and do not end it.
    value(3, rev: 4)
    #expect(harness.batchEnds == 0)
    harness.receive(.next(id: "9", payload: NextPayload(data: 1, extensions: ["event": 1])))
    #expect(harness.batchEnds == 0)
    harness.receive(.complete(id: "1"))
    #expect(harness.batchEnds == 0)
    value(2, rev: 5)
    #expect(harness.batchEnds == 1)
  }

  @Test("a value of another rev means that the cut before is over")
  mutating func nextBatch() {
    for id in 1...2 as ClosedRange<UInt64> { harness.start(id, .watch) }
    harness.becomeReady()
    value(1, rev: 5, more: true)
    value(2, rev: 6, more: true)
    #expect(harness.batchEnds == 1)
    value(1, rev: 6)
    #expect(harness.batchEnds == 1)
  }

  @Test("a cut whose rest does not come is shown after a second, and only then")
  mutating func incompleteBatch() {
    for id in 1...2 as ClosedRange<UInt64> { harness.start(id, .watch) }
    harness.becomeReady()
    value(1, rev: 5, more: true)
    #expect(harness.log.last == "timer 1.0 seconds")
    harness.end(2)
    #expect(harness.batchEnds == 0)
    harness.fireTimer()
    #expect(harness.batchEnds == 1)

    // One timer watches: one that was set for a cut that is over begins anew for the next.
    value(1, rev: 6, more: true)
    value(1, rev: 6)
    value(1, rev: 7, more: true)
    harness.fireTimer()
    #expect(harness.batchEnds == 0)
    #expect(harness.log == ["timer 1.0 seconds"])
    harness.fireTimer()
    #expect(harness.batchEnds == 1)
  }

  @Test("an operation that is no longer wanted is completed at the server, once")
  mutating func ending() {
    harness.start(1, .watch)
    harness.becomeReady()
    harness.end(1)
    #expect(harness.log == ["complete 1"])
    harness.end(1)
    #expect(harness.log.isEmpty)
    #expect(harness.machine.operationCount == 0)
  }

  @Test("an operation that ended while there was no connection is never sent (scenario 2)")
  mutating func endingWhileDown() {
    harness.start(1, .watch)
    harness.lose()
    harness.end(1)
    harness.start(2, .watch)
    harness.fireTimer()
    harness.becomeReady()
    #expect(harness.log == ["cancel timer", "subscribe 2", "connect ok"])
  }

  @Test("after a lost connection every watch and every stream is sent again (scenario 3)")
  mutating func resubscribing() {
    for id in 1...5 as ClosedRange<UInt64> { harness.start(id, id == 3 ? .stream : .watch) }
    harness.becomeReady()
    harness.lose()
    #expect(
      harness.log.prefix(5)
        == ["interrupted 1", "interrupted 2", "interrupted 3", "interrupted 4", "interrupted 5"][
          ...
        ]
    )
    harness.fireTimer()
    #expect(harness.log == ["open"])
    harness.becomeReady(epoch: "e2")
    #expect(harness.log.filter { $0.hasPrefix("subscribe") } == (1...5).map { "subscribe \($0)" })
    harness.receive(.next(id: "4", payload: NextPayload(data: 1)))
    #expect(harness.log == ["next 4 1 e2"])
  }

  @Test("refused five times, every operation is sent the sixth time (scenario 4)")
  mutating func refusedFiveTimes() {
    for id in 1...3 as ClosedRange<UInt64> { harness.start(id, .watch) }
    var delays: [Duration?] = []
    for _ in 1...5 {
      harness.lose()
      delays.append(harness.delay)
      harness.fireTimer()
      #expect(harness.log == ["open"])
    }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)])
    harness.becomeReady()
    #expect(harness.log.filter { $0.hasPrefix("subscribe") }.count == 3)
  }

  @Test("a call that was sent and not answered fails when the connection is lost")
  mutating func lostCall() {
    harness.start(1, .call)
    harness.becomeReady()
    harness.lose()
    #expect(harness.log.first == "failed 1 connection-lost")
    #expect(harness.machine.operationCount == 0)
  }

  @Test("a call with a key is sent again with the same key")
  mutating func keyedCall() {
    harness.start(1, .call, key: "k")
    harness.becomeReady()
    #expect(harness.log.contains("subscribe 1 key k"))
    harness.lose()
    #expect(harness.log.first == "interrupted 1")
    harness.fireTimer()
    harness.becomeReady()
    #expect(harness.log.contains("subscribe 1 key k"))
  }

  @Test("a call that was never sent waits for the next connection")
  mutating func unsentCall() {
    harness.start(1, .call)
    harness.lose()
    #expect(!harness.log.contains { $0.hasPrefix("failed") })
    harness.fireTimer()
    harness.becomeReady()
    #expect(harness.log.contains("subscribe 1"))
  }

  @Test("an answered call is over, also before its complete comes")
  mutating func answeredCall() {
    harness.start(1, .call)
    harness.becomeReady()
    harness.receive(.next(id: "1", payload: NextPayload(data: 1)))
    harness.lose()
    #expect(!harness.log.contains { $0.hasPrefix("failed") })
  }

  @Test("an error ends its operation and no other")
  mutating func oneError() {
    harness.start(1, .watch)
    harness.start(2, .watch)
    harness.becomeReady()
    harness.receive(.error(id: "1", errors: [WireError(.unknownOperation, "no")]))
    #expect(harness.log == ["failed 1 unknown-operation"])
    harness.receive(.next(id: "2", payload: NextPayload(data: 1)))
    #expect(harness.log == ["next 2 1 e1"])
  }

  @Test("a code after which trying again is pointless fails everything, and nothing is tried")
  mutating func fatalCode() {
    harness.start(1, .watch)
    harness.start(2, .call)
    harness.becomeReady()
    harness.lose(.badMessage)
    #expect(
      harness.log == [
        "cancel timer", "failed 1 connection-lost", "failed 2 connection-lost",
        "connect connection-lost",
      ]
    )
    #expect(harness.states == ["failed connection-lost"])
    harness.start(3, .watch)
    #expect(harness.log == ["open"])
  }

  @Test(
    "restart and overload bring it back",
    arguments: [CloseCode.restart, .goingAway, .overloaded, .normal]
  )
  mutating func retryableCodes(_ code: CloseCode) {
    harness.start(1, .watch)
    harness.becomeReady()
    harness.lose(code)
    #expect(harness.states == ["backing off"])
  }

  @Test("refused credentials are final when another attempt would show the same")
  mutating func forbidden() {
    harness.start(1, .watch)
    harness.open()
    harness.lose(.forbidden)
    #expect(harness.states == ["failed connection-lost"])
  }

  @Test("refused credentials that can be refreshed are tried five times in a row")
  mutating func forbiddenWithFreshTokens() {
    harness = MachineHarness(refreshesCredentials: true)
    harness.start(1, .watch)
    for _ in 1...4 {
      harness.open()
      harness.lose(.forbidden)
      #expect(harness.states == ["backing off"])
      harness.fireTimer()
    }
    harness.open()
    harness.lose(.forbidden)
    #expect(harness.states == ["failed connection-lost"])
  }

  @Test("a greeting forgives the refusals before it")
  mutating func forgivenRefusals() {
    harness = MachineHarness(refreshesCredentials: true)
    harness.start(1, .watch)
    for _ in 1...10 {
      harness.becomeReady()
      harness.lose(.forbidden)
      #expect(harness.states == ["backing off"])
      harness.fireTimer()
    }
  }

  @Test("a server that greets and closes at once is not asked ever faster")
  mutating func greetAndClose() {
    harness.start(1, .watch)
    var delays: [Duration?] = []
    for _ in 1...4 {
      harness.becomeReady()
      harness.now += .seconds(1)
      harness.lose(.overloaded)
      delays.append(harness.delay)
      harness.fireTimer()
    }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    harness.becomeReady()
    harness.now += .seconds(60)
    harness.lose(.restart)
    #expect(harness.delay == .seconds(1))
  }

  @Test("a server that does not greet in time is left")
  mutating func noGreeting() {
    harness.start(1, .watch)
    harness.open()
    harness.fireTimer()
    #expect(harness.log.first == "shut 1000")
    #expect(harness.states == ["backing off"])
  }

  @Test("what an old socket still says is not heard (scenario 12)")
  mutating func oldSocket() {
    harness.start(1, .watch)
    harness.becomeReady()
    let old = harness.generation
    harness.take { $0.disconnect() }
    #expect(harness.log.prefix(2) == ["shut 1000", "interrupted 1"])
    let late = ServerMessage.next(id: "1", payload: NextPayload(data: 1))
    harness.take { $0.received(old, late, now: .zero) }
    #expect(harness.actions.isEmpty)
    harness.take { $0.connect() }
    harness.take { $0.received(old, late, now: .zero) }
    #expect(harness.actions.isEmpty)
    harness.take {
      $0.closed(old, .init(code: nil, error: ClientError(.connectionLost, "")), now: .zero)
    }
    #expect(harness.actions.isEmpty)
    harness.becomeReady()
    #expect(harness.log.contains("subscribe 1"))
  }

  @Test("a timer that was set for something else does nothing")
  mutating func oldTimer() {
    harness.start(1, .watch)
    harness.lose()
    let old = harness.token
    harness.take { $0.connect() }
    harness.lose()
    harness.take { $0.timerFired(old, now: .zero) }
    #expect(harness.actions.isEmpty)
  }

  @Test("connect() does not wait for the end of a back-off")
  mutating func connectNow() {
    harness.start(1, .watch)
    harness.lose()
    harness.take { $0.connect() }
    #expect(harness.log == ["cancel timer", "open"])
  }

  @Test("connect() that fails is answered, and nothing goes on when nothing is subscribed")
  mutating func failedConnect() {
    harness.take { $0.connect() }
    harness.lose()
    #expect(harness.log == ["cancel timer", "connect connection-lost"])
    #expect(harness.states == ["disconnected"])
  }

  @Test("a connection without operations is made again too")
  mutating func idleReconnect() {
    harness.take { $0.connect() }
    harness.becomeReady()
    harness.lose()
    #expect(harness.states == ["backing off"])
  }

  @Test("close() ends everything, and what comes later fails")
  mutating func closing() {
    harness.start(1, .watch)
    harness.start(2, .call)
    harness.start(3, .stream)
    harness.becomeReady()
    harness.take { $0.close() }
    #expect(
      harness.log == [
        "cancel timer", "shut 1000", "finished 1", "failed 2 client-closed", "finished 3",
        "connect client-closed",
      ]
    )
    harness.lose()
    #expect(harness.actions.isEmpty)
    harness.start(4, .watch)
    #expect(harness.log == ["failed 4 client-closed"])
    harness.take { $0.connect() }
    #expect(harness.log == ["connect client-closed"])
  }

  @Test("a ping is answered with its payload")
  mutating func pingPong() {
    harness.start(1, .watch)
    harness.becomeReady()
    harness.receive(.ping(payload: ["n": 1]))
    guard case .send(.pong(let payload)) = harness.actions.first else {
      Issue.record("no pong")
      return
    }
    #expect(payload == ["n": 1])
  }

  @Test("a value before the greeting is a violation that is not forgiven")
  mutating func valueBeforeGreeting() {
    harness.start(1, .watch)
    harness.open()
    harness.receive(.next(id: "1", payload: NextPayload(data: 1)))
    #expect(harness.log.prefix(3) == ["shut 4400", "cancel timer", "failed 1 protocol-violation"])
    #expect(harness.states == ["failed protocol-violation"])
  }

  @Test("a second greeting is ignored")
  mutating func secondGreeting() {
    harness.start(1, .watch)
    harness.becomeReady()
    harness.acknowledge(epoch: "e9")
    #expect(harness.actions.isEmpty)
  }
}
