import ObsTransport
import ObsWire
import Synchronization
import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct ClientTests {
  let timing = ManualTiming()

  /// Runs a client against a scripted server, and closes it on every path.
  private func withClient(
    _ change: (inout ClientConfiguration) -> Void = { _ in },
    _ body: (FakeServer, Client) async throws -> Void
  ) async throws {
    var configuration = ClientConfiguration.manual(timing)
    change(&configuration)
    try await FakeServer.with { server in
      let client = Client(server.url, configuration)
      let result: Result<Void, any Error>
      do { result = .success(try await body(server, client)) } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  @Test("the first value comes, then each newer one")
  func values() async throws {
    try await withClient { server, client in
      var values = client.values("count", ["s": "open"], as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      #expect(subscribe.payload.operationName == "count")
      #expect(subscribe.payload.variables == ["s": "open"])
      server.next(subscribe, 1)
      #expect(try await values.next() == 1)
      server.next(subscribe, 2)
      #expect(try await values.next() == 2)
    }
  }

  @Test("a frame tells rev, epoch and how many were passed over")
  func frames() async throws {
    try await withClient { server, client in
      var frames = client.frames("count", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      server.next(subscribe, 1, rev: 7)
      let frame = try #require(try await frames.next())
      #expect((frame.value, frame.rev, frame.epoch, frame.skipped) == (1, 7, "e1", 0))
    }
  }

  @Test("a reader that was slow gets the newest value only")
  func slowReader() async throws {
    try await withClient { server, client in
      var frames = client.frames("count", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      for value in 1...50 as ClosedRange<Int64> { server.next(subscribe, .int(value), rev: value) }
      // The answer to a call comes after the values, so all of them are here when it has come.
      async let marker = client.call("marker", as: Int.self)
      let call = try await server.subscribe()
      server.next(call, 0)
      #expect(try await marker == 0)
      let frame = try #require(try await frames.next())
      #expect((frame.value, frame.skipped) == (50, 49))
    }
  }

  @Test("the server's complete ends the sequence")
  func finished() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      server.next(subscribe, 1)
      server.send(subscribe.connection, .complete(id: subscribe.id))
      #expect(try await values.next() == 1)
      #expect(try await values.next() == nil)
      #expect(try await values.next() == nil)
    }
  }

  @Test("an error of the server is thrown with its code and place, then the sequence is over")
  func serverError() async throws {
    try await withClient { server, client in
      var values = client.values("cuont", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      let error = WireError(.unknownOperation, "no `cuont`", extensions: ["hint": "count?"])
      server.send(subscribe.connection, .error(id: subscribe.id, errors: [error]))
      let thrown = await #expect(throws: ClientError.self) { try await values.next() }
      #expect(thrown?.code == .unknownOperation)
      #expect(thrown?.wire == error)
      #expect(thrown?.description == "no `cuont` (count?) [unknown-operation]")
      #expect(try await values.next() == nil)
    }
  }

  @Test("an error that the data heals is thrown, and the value that follows comes")
  func healing() async throws {
    try await withClient { server, client in
      var values = client.values("sum", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      let broken = NextPayload(data: .null, errors: [WireError(.invalidType, "not a number")])
      server.send(subscribe.connection, .next(id: subscribe.id, payload: broken))
      let thrown = await #expect(throws: ClientError.self) { try await values.next() }
      #expect(thrown?.mayHeal == true)
      server.next(subscribe, 3)
      #expect(try await values.next() == 3)
    }
  }

  @Test("a value of another type is an error that names the place")
  func wrongType() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      server.next(try await server.subscribe(), "three")
      let thrown = await #expect(throws: ClientError.self) { try await values.next() }
      #expect(thrown?.code == .badValue)
    }
  }

  @Test("arguments that are no object are an error of the first next(), and nothing is sent")
  func badArguments() async throws {
    try await withClient { (_: FakeServer, client: Client) async throws -> Void in
      var values = client.values("count", [1, 2], as: Int.self).makeAsyncIterator()
      let thrown = await #expect(throws: ClientError.self) { try await values.next() }
      #expect(thrown?.code == .badArguments)
      #expect(try await values.next() == nil)
    }
  }

  @Test("dropping the iterator ends the subscription at the server")
  func droppedIterator() async throws {
    try await withClient { server, client in
      var values: Values<Int>.Iterator? = client.values("count", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      server.next(subscribe, 1)
      #expect(try await values?.next() == 1)
      values = nil
      #expect(try await server.complete() == subscribe.id)
    }
  }

  @Test("cancelling the task that reads ends the subscription at the server")
  func cancelledReader() async throws {
    try await withClient { server, client in
      let reader = Task {
        var last: Int?
        for try await value in client.values("count", as: Int.self) { last = value }
        return last
      }
      let subscribe = try await server.subscribe()
      reader.cancel()
      #expect(try await server.complete() == subscribe.id)
      #expect(try await reader.value == nil)
    }
  }

  @Test("breaking out of the loop ends the subscription at the server")
  func breakingOut() async throws {
    try await withClient { server, client in
      let reader = Task {
        for try await value in client.values("count", as: Int.self) { return value }
        return 0
      }
      let subscribe = try await server.subscribe()
      server.next(subscribe, 5)
      #expect(try await reader.value == 5)
      #expect(try await server.complete() == subscribe.id)
    }
  }

  @Test("connect() fails with a reason where nobody listens, and with another one for nonsense")
  func unreachable() async throws {
    let nobody = Client("ws://127.0.0.1:1/ws")
    let refused = await #expect(throws: ClientError.self) { try await nobody.connect() }
    #expect(refused?.code == .unreachable)
    #expect(refused?.retryable == true)
    await nobody.close()
    let nonsense = Client("no address")
    let bad = await #expect(throws: ClientError.self) { try await nonsense.connect() }
    #expect(bad?.code == .badConfiguration)
    #expect(bad?.retryable == false)
    await nonsense.close()
  }

  @Test("connect() returns when the server has greeted, and its states are told in order")
  func states() async throws {
    try await withClient { server, client in
      var states = client.states.makeAsyncIterator()
      try await client.connect()
      #expect(client.state.isReady)
      var words: [String] = []
      while let state = await states.next() {
        switch state {
        case .disconnected: words.append("disconnected")
        case .connecting: words.append("connecting")
        case .initializing: words.append("initializing")
        case .ready(let greeting): words.append("ready \(greeting.epoch)")
        default: words.append("other")
        }
        if state.isReady { break }
      }
      #expect(words == ["disconnected", "connecting", "initializing", "ready e1"])
      _ = server
    }
  }

  @Test("the token and the application's own members travel in connection_init")
  func credentials() async throws {
    let asked = Atomic(0)
    try await withClient({ configuration in
      configuration.token = "static"
      configuration.payload = ["client": "test"]
      configuration.credentials = {
        let number = asked.wrappingAdd(1, ordering: .relaxed).newValue
        return ["token": .string("fresh \(number)")]
      }
    }) { server, client in
      for number in 1...2 {
        try await client.connect()
        let payload = try await server.connectionInit()
        #expect(payload == ["client": "test", "token": .string("fresh \(number)")])
        await client.disconnect()
      }
    }
  }

  @Test("credentials that cannot be had are asked for again later")
  func failingCredentials() async throws {
    struct NoNetwork: Error {}
    let asked = Atomic(0)
    try await withClient({ configuration in
      configuration.credentials = {
        guard asked.wrappingAdd(1, ordering: .relaxed).newValue > 1 else { throw NoNetwork() }
        return ["token": "late"]
      }
    }) { server, client in
      let values = client.values("count", as: Int.self).makeAsyncIterator()
      let wait = try await timing.wait()
      guard case .backingOff(_, let error) = client.state else {
        Issue.record("state is \(client.state)")
        return
      }
      #expect(error.underlying is NoNetwork)
      wait.end()
      #expect(try await server.connectionInit() == ["token": "late"])
      _ = values
    }
  }

  @Test("the server's ping is answered")
  func ping() async throws {
    try await withClient { server, client in
      try await client.connect()
      guard case .opened(let connection) = try await server.event() else {
        Issue.record("nothing opened")
        return
      }
      server.send(connection, .ping(payload: ["n": 7]))
      while true {
        if case .message(_, .pong(let payload)) = try await server.event() {
          #expect(payload == ["n": 7])
          return
        }
      }
    }
  }

  @Test("what is no message of the protocol ends everything with a reason")
  func nonsenseFromServer() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      server.send(subscribe.connection, raw: "{\"type\":\"nxt\"}")
      let thrown = await #expect(throws: ClientError.self) { try await values.next() }
      #expect(thrown?.code == .protocolViolation)
      #expect(try await server.closed().1.code == CloseCode.badMessage.rawValue)
    }
  }

  @Test("two clients of one process share the loop and stay apart")
  func twoClients() async throws {
    try await FakeServer.with { server in
      let clients = [Client(server.url), Client(server.url)]
      var iterators = clients.enumerated().map {
        $1.values("op\($0)", as: Int.self).makeAsyncIterator()
      }
      let subscribes = try await server.subscribes(2)
      for number in 0...1 {
        server.next(try #require(subscribes["op\(number)"]), .int(Int64(number)))
        #expect(try await iterators[number].next() == number)
      }
      await clients[0].close()
      #expect(try await iterators[0].next() == nil)
      server.next(try #require(subscribes["op1"]), 9)
      #expect(try await iterators[1].next() == 9)
      await clients[1].close()
    }
  }

  @Test("the end of the last reference to a client closes its connection")
  func droppedClient() async throws {
    try await FakeServer.with { server in
      var client: Client? = Client(server.url)
      try await client?.connect()
      client = nil
      #expect(try await server.closed().1.code == CloseCode.normal.rawValue)
    }
  }
}
