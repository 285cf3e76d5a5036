import ObsWire
import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct EventsTests {
  let timing = ManualTiming()

  private func withClient(
    buffer: Int = 1024,
    _ body: (FakeServer, Client) async throws -> Void
  ) async throws {
    try await FakeServer.with { server in
      var configuration = ClientConfiguration.manual(timing)
      configuration.maximumBufferedEvents = buffer
      let client = Client(server.url, configuration)
      let result: Result<Void, any Error>
      do { result = .success(try await body(server, client)) } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  private func event(_ id: String, _ number: Int64) -> ServerMessage {
    .next(id: id, payload: NextPayload(data: .int(number), extensions: ["event": .int(number)]))
  }

  @Test("every event comes, in order, also equal ones")
  func order() async throws {
    try await withClient { server, client in
      var events = client.events("builds", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      server.send(subscribe.connection, [1, 1, 2, 3].map { event(subscribe.id, $0) })
      for expected in [1, 1, 2, 3] { #expect(try await events.next() == expected) }
      server.send(subscribe.connection, .complete(id: subscribe.id))
      #expect(try await events.next() == nil)
    }
  }

  @Test("a reader that falls behind stops the socket for a while, and loses nothing")
  func backpressure() async throws {
    try await withClient(buffer: 8) { server, client in
      var events = client.events("builds", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      server.send(subscribe.connection, (1...20_000).map { event(subscribe.id, $0) })
      // The reader waits until the socket was stopped for the first time.
      _ = try await timing.wait { $0 == .seconds(5) }
      for expected in 1...20_000 {
        guard try await events.next() == expected else {
          Issue.record("event \(expected) is missing")
          return
        }
      }
    }
  }

  @Test(
    "a reader that stays behind gets `overflow` after the events that it has, and the others go on"
  )
  func overflow() async throws {
    try await withClient(buffer: 4) { server, client in
      var events = client.events("builds", as: Int.self).makeAsyncIterator()
      let stream = try await server.subscribe()
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let watch = try await server.subscribe()
      server.send(stream.connection, (1...10).map { event(stream.id, $0) })
      let pause = try await timing.wait { $0 == .seconds(5) }
      server.next(watch, 1)
      pause.end()
      #expect(try await values.next() == 1)
      #expect(try await server.complete() == stream.id)
      var seen = 0
      let thrown = await #expect(throws: ClientError.self) {
        while try await events.next() != nil { seen += 1 }
      }
      #expect(seen >= 4)
      #expect(thrown?.code == .overflow)
      #expect(try await events.next() == nil)
    }
  }

  @Test("the server's overflow is thrown after the events before it")
  func serverOverflow() async throws {
    try await withClient { server, client in
      var events = client.events("builds", as: Int.self).makeAsyncIterator()
      let subscribe = try await server.subscribe()
      server.send(
        subscribe.connection,
        event(subscribe.id, 1),
        .error(id: subscribe.id, errors: [WireError(.overflow, "256 events behind")])
      )
      #expect(try await events.next() == 1)
      let thrown = await #expect(throws: ClientError.self) { try await events.next() }
      #expect(thrown?.code == .overflow)
      #expect(thrown?.retryable == true)
    }
  }

  @Test("after a lost connection the stream goes on, and the first event is marked")
  func gap() async throws {
    try await withClient { server, client in
      var events = client.events("builds", as: Int.self).numbered.makeAsyncIterator()
      let first = try await server.subscribe()
      server.send(first.connection, event(first.id, 1))
      #expect(try await events.next() == NumberedEvent(value: 1, number: 1, isAfterGap: false))
      server.kill(first.connection)
      try await timing.wait().end()
      let second = try await server.subscribe()
      server.send(second.connection, event(second.id, 1), event(second.id, 2))
      #expect(try await events.next() == NumberedEvent(value: 1, number: 1, isAfterGap: true))
      #expect(try await events.next() == NumberedEvent(value: 2, number: 2, isAfterGap: false))
    }
  }
}
