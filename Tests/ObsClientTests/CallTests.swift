import ObsWire
import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct CallTests {
  let timing = ManualTiming()

  private func withClient(_ body: (FakeServer, Client) async throws -> Void) async throws {
    try await FakeServer.with { server in
      let client = Client(server.url, .manual(timing))
      let result: Result<Void, any Error>
      do { result = .success(try await body(server, client)) } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  @Test("a call returns its answer")
  func answer() async throws {
    try await withClient { server, client in
      async let answer = client.call("add", ["a": 1, "b": 2], as: Int.self)
      let call = try await server.subscribe()
      #expect(call.payload.variables == ["a": 1, "b": 2])
      server.next(call, 3)
      server.send(call.connection, .complete(id: call.id))
      #expect(try await answer == 3)
    }
  }

  @Test("describe() asks for $describe")
  func describe() async throws {
    try await withClient { server, client in
      async let description = client.describe()
      let call = try await server.subscribe()
      #expect(call.payload.operationName == "$describe")
      server.next(call, ["operations": []])
      #expect(try await description == ["operations": []])
    }
  }

  @Test("the server's error is thrown")
  func failure() async throws {
    try await withClient { server, client in
      let answer = Task { try await client.call("close", ["id": "x"], as: JSON.self) }
      let call = try await server.subscribe()
      server.send(call.connection, .error(id: call.id, errors: [WireError(.notFound, "no x")]))
      let thrown = await #expect(throws: ClientError.self) { try await answer.value }
      #expect(thrown?.code == .notFound)
    }
  }

  @Test("a call that was not answered when the connection was lost fails and says so")
  func lost() async throws {
    try await withClient { server, client in
      let call = Task { try await client.call("close", ["id": "x"], as: JSON.self) }
      server.kill(try await server.subscribe().connection)
      let thrown = await #expect(throws: ClientError.self) { try await call.value }
      #expect(thrown?.code == .connectionLost)
      #expect(thrown?.retryable == true)
    }
  }

  @Test("with a key it is sent again, with the same key, and answered")
  func keyed() async throws {
    try await withClient { server, client in
      async let answer = client.call("add", ["a": 1], as: Int.self, key: "k1")
      let first = try await server.subscribe()
      server.kill(first.connection)
      try await timing.wait().end()
      let second = try await server.subscribe()
      #expect(second.connection != first.connection)
      #expect(second.payload.live.key == "k1")
      server.next(second, 1)
      #expect(try await answer == 1)
    }
  }

  @Test("cancelling the task ends the waiting, and tells the server")
  func cancelled() async throws {
    try await withClient { server, client in
      let call = Task { try await client.call("slow", as: JSON.self) }
      let subscribe = try await server.subscribe()
      call.cancel()
      let thrown = await #expect(throws: ClientError.self) { try await call.value }
      #expect(thrown?.code == .cancelled)
      #expect(try await server.complete() == subscribe.id)
    }
  }

  @Test("after close() a call fails at once")
  func closed() async throws {
    try await withClient { (_: FakeServer, client: Client) async throws -> Void in
      await client.close()
      let thrown = await #expect(throws: ClientError.self) { try await client.call("x") }
      #expect(thrown?.code == .clientClosed)
    }
  }
}
