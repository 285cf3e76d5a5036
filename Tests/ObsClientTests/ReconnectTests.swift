import ObsTransport
import ObsWire
import Testing

@testable import ObsClient

@Suite(.timeLimit(.minutes(5)))
struct ReconnectTests {
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

  @Test(
    "scenario 3: TCP cut, all subscriptions deliver the next change without the application's help"
  )
  func allResubscribed() async throws {
    try await withClient { server, client in
      var readers = (0..<20).map {
        client.values("op\($0)", as: Int.self).makeAsyncIterator()
      }
      let first = try await server.subscribes(20)
      for number in 0..<20 { server.next(try #require(first["op\(number)"]), 0) }
      for number in 0..<20 { #expect(try await readers[number].next() == 0) }
      server.kill(try #require(first["op0"]).connection)
      try await timing.wait().end()
      let second = try await server.subscribes(20)
      #expect(second.count == 20)
      for number in 0..<20 {
        server.next(try #require(second["op\(number)"]), .int(Int64(number + 1)))
        #expect(try await readers[number].next() == number + 1)
      }
    }
  }

  @Test("scenario 4: five connects refused, then every subscription is sent, after 1 2 4 8 16 s")
  func refused() async throws {
    try await withClient { server, client in
      server.refuse(next: 5)
      let readers = (0..<3).map { client.values("op\($0)", as: Int.self).makeAsyncIterator() }
      var delays: [Duration] = []
      for _ in 1...5 {
        let wait = try await timing.wait()
        delays.append(wait.delay)
        wait.end()
      }
      #expect(delays == [1, 2, 4, 8, 16].map { .seconds($0) })
      let subscribes = try await server.subscribes(3)
      #expect(subscribes.keys.sorted() == ["op0", "op1", "op2"])
      _ = readers
    }
  }

  @Test(
    "scenario 5: nobody reads while the server restarts; the first later next() is the current value"
  )
  func unreadRestart() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let first = try await server.subscribe()
      server.next(first, 1, rev: 9000)
      #expect(try await values.next() == 1)
      server.next(first, 2, rev: 9001)
      server.setEpoch("e2")
      server.close(first.connection, .restart)
      try await timing.wait().end()
      let second = try await server.subscribe()
      server.next(second, 3, rev: 1)
      async let marker = client.call("marker", as: Int.self)
      server.next(try await server.subscribe(), 0)
      #expect(try await marker == 0)
      #expect(try await values.next() == 3)
    }
  }

  @Test("scenario 6: a new epoch whose rev begins at 1 is believed")
  func newEpoch() async throws {
    try await withClient { server, client in
      var frames = client.frames("count", as: Int.self).makeAsyncIterator()
      let first = try await server.subscribe()
      server.next(first, 1, rev: 9000)
      #expect(try await frames.next()?.rev == 9000)
      server.setEpoch("e2")
      server.close(first.connection, .restart)
      try await timing.wait().end()
      server.next(try await server.subscribe(), 2, rev: 1)
      let frame = try #require(try await frames.next())
      #expect((frame.value, frame.rev, frame.epoch) == (2, 1, "e2"))
    }
  }

  @Test("scenario 13: the same value after a reconnect is nothing new")
  func sameValue() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let first = try await server.subscribe()
      server.next(first, 1)
      #expect(try await values.next() == 1)
      server.kill(first.connection)
      try await timing.wait().end()
      let second = try await server.subscribe()
      server.next(second, 1)
      server.next(second, 2)
      #expect(try await values.next() == 2)
    }
  }

  @Test(
    "scenario 12: after disconnect and connect the old socket is closed and delivers nothing more"
  )
  func disconnectAndConnect() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let first = try await server.subscribe()
      server.next(first, 1)
      #expect(try await values.next() == 1)
      await client.disconnect()
      #expect(try await server.closed().1.code == CloseCode.normal.rawValue)
      // Said to a socket that is gone; also a server that does not notice cannot reach the application.
      server.next(first, 666)
      try await client.connect()
      let second = try await server.subscribe()
      server.next(second, 2)
      #expect(try await values.next() == 2)
      #expect(server.connectionCount == 1)
    }
  }

  @Test("close() closes the socket, ends the sequences, and keeps nothing")
  func close() async throws {
    try await FakeServer.with { server in
      weak var core: Core?
      do {
        let client = Client(server.url, .manual(timing))
        core = try client.core.get()
        var values = client.values("count", as: Int.self).makeAsyncIterator()
        server.next(try await server.subscribe(), 1)
        #expect(try await values.next() == 1)
        await client.close()
        #expect(try await values.next() == nil)
        #expect(try await server.closed().1.code == CloseCode.normal.rawValue)
      }
      try await drained(EventLoop.shared())
      #expect(core == nil)
    }
  }

  /// Returns when the loop has done what it had to do, and let go of it.
  private func drained(_ loop: EventLoop) async {
    for _ in 1...2 {
      await withCheckedContinuation { continuation in
        loop.execute { continuation.resume() }
      }
    }
  }

  @Test("a close code that is final fails the sequences with its reason")
  func finalCode() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      server.close(try await server.subscribe().connection, .subscriberExists)
      let thrown = await #expect(throws: ClientError.self) { try await values.next() }
      #expect(thrown?.code == .refused)
      #expect(thrown?.close == .subscriberExists)
      guard case .failed = client.state else {
        Issue.record("state is \(client.state)")
        return
      }
    }
  }

  @Test(
    "1012 and 1013 bring the client back",
    arguments: [CloseCode.restart, .overloaded, .goingAway]
  )
  func retryableCodes(_ code: CloseCode) async throws {
    try await withClient { server, client in
      let values = client.values("count", as: Int.self).makeAsyncIterator()
      server.close(try await server.subscribe().connection, code)
      try await timing.wait().end()
      _ = try await server.subscribe()
      _ = values
    }
  }

  @Test("a server that accepts and never greets is left after the time for it")
  func noGreeting() async throws {
    try await withClient { server, client in
      server.setGreets(false)
      let values = client.values("count", as: Int.self).makeAsyncIterator()
      // Only when this one has been passed over may the next one be answered.
      try await server.connectionInit()
      try await timing.wait { $0 == ManualTiming.greeting }.end()
      server.setGreets(true)
      try await timing.wait().end()
      _ = try await server.subscribe()
      _ = values
    }
  }
}
