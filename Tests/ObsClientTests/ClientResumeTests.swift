import ObsServer
import ObsTestSupport
import ObsTransport
import ObsWire
import Testing

@testable import ObsClient

/// A client that comes back says what it has, and the application sees nothing of it (scenario 13).
@Suite(.timeLimit(.minutes(5)))
struct ClientResumeTests {
  let timing = ManualTiming()

  private func withClient(
    features: [String] = ["resume"],
    _ body: (FakeServer, Client) async throws -> Void
  ) async throws {
    try await FakeServer.with { server in
      server.setFeatures(features)
      let client = Client(server.url, .manual(timing))
      let result: Result<Void, any Error>
      do { result = .success(try await body(server, client)) } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  /// Cuts a connection and returns the next `subscribe`.
  private func reconnected(
    _ server: FakeServer,
    _ old: FakeServer.Subscribe
  ) async throws -> FakeServer.Subscribe {
    server.kill(old.connection)
    try await timing.wait().end()
    return try await server.subscribe()
  }

  private static func unchanged(_ id: String) -> ServerMessage {
    .next(id: id, payload: NextPayload(data: .null, extensions: ["rev": 9, "unchanged": true]))
  }

  @Test("scenario 2: server down, one query dropped and one added: only that one is asked for")
  func changedWhileAway() async throws {
    try await withClient { server, client in
      var kept = client.values("kept", as: Int.self).makeAsyncIterator()
      do {
        let first = try await server.subscribe()
        server.next(first, 1)
        #expect(try await kept.next() == 1)
        let dropped = client.values("dropped", as: Int.self).makeAsyncIterator()
        server.next(try await server.subscribe(), 2)
        server.refuse(next: 1)
        server.kill(first.connection)
        // It is down: a first attempt fails, too.
        try await timing.wait().end()
        _ = dropped
      }
      let again = try await timing.wait()
      let added = client.values("added", as: Int.self).makeAsyncIterator()
      again.end()
      let subscribes = try await server.subscribes(2)
      #expect(subscribes.keys.sorted() == ["added", "kept"])
      let resumed = try #require(subscribes["kept"])
      #expect(resumed.payload.live.since == Digest.of(1))
      #expect(subscribes["added"]?.payload.live.since == nil)
      server.send(resumed.connection, Self.unchanged(resumed.id))
      server.next(resumed, 3)
      #expect(try await kept.next() == 3)
      _ = added
    }
  }

  @Test("it says which value it has, and an unchanged one is nothing new")
  func unchanged() async throws {
    try await withClient { server, client in
      var values = client.values("list", as: [Int].self).makeAsyncIterator()
      let first = try await server.subscribe()
      #expect(first.payload.live == LiveOptions())
      server.next(first, [1, 2])
      #expect(try await values.next() == [1, 2])
      let second = try await reconnected(server, first)
      #expect(second.payload.live == LiveOptions(since: Digest.of([1, 2])))
      server.send(second.connection, Self.unchanged(second.id))
      // Also on the connection after that one, of which no value was whole.
      let third = try await reconnected(server, second)
      #expect(third.payload.live.since == Digest.of([1, 2]))
      server.send(third.connection, Self.unchanged(third.id))
      server.next(third, [3])
      #expect(try await values.next() == [3])
    }
  }

  @Test("a reader that had not looked yet gets the value once, with nothing passed over")
  func unread() async throws {
    try await withClient { server, client in
      var frames = client.frames("count", as: Int.self).makeAsyncIterator()
      let first = try await server.subscribe()
      server.next(first, 7)
      let second = try await reconnected(server, first)
      #expect(second.payload.live.since == Digest.of(7))
      server.send(second.connection, Self.unchanged(second.id))
      async let marker = client.call("marker", as: Int.self)
      server.next(try await server.subscribe(), 0)
      #expect(try await marker == 0)
      let frame = try #require(try await frames.next())
      #expect(frame.value == 7)
      #expect(frame.rev == 9)
      #expect(frame.skipped == 0)
      #expect(frame.extensions["unchanged"] == nil)
      server.next(second, 8)
      #expect(try await frames.next()?.value == 8)
    }
  }

  @Test("a server that cannot resume is asked as ever")
  func withoutFeature() async throws {
    try await withClient(features: ["queries"]) { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let first = try await server.subscribe()
      server.next(first, 1)
      #expect(try await values.next() == 1)
      let second = try await reconnected(server, first)
      #expect(second.payload.live == LiveOptions())
    }
  }

  @Test("an error is no value to name, nor is an event, nor what never came")
  func nothingToName() async throws {
    try await withClient { server, client in
      var values = client.values("count", as: Int.self).makeAsyncIterator()
      let first = try await server.subscribe()
      let error = WireError(.notANumber, "1/0")
      let failed = NextPayload(data: .null, errors: [error], extensions: ["rev": 1])
      server.send(first.connection, .next(id: first.id, payload: failed))
      await #expect(throws: ClientError.self) { try await values.next() }
      let second = try await reconnected(server, first)
      #expect(second.payload.live.since == nil)
      let third = try await reconnected(server, second)
      #expect(third.payload.live.since == nil)
      // A stream that is read as values.
      let event = NextPayload(data: 5, extensions: ["event": 1])
      server.send(third.connection, .next(id: third.id, payload: event))
      #expect(try await values.next() == 5)
      let fourth = try await reconnected(server, third)
      #expect(fourth.payload.live.since == nil)
    }
  }

  @Test("a handle shows neither a phase nor a part of it anew", .timeLimit(.minutes(5)))
  @MainActor
  func handle() async throws {
    struct Count: LiveQuery {
      typealias Value = Int
      static let operation = "count"
    }
    try await FakeServer.with { server in
      server.setFeatures(["resume"])
      let client = Client(server.url, .manual(timing))
      let handle = client.handle(for: Count())
      let retention = handle.retain()
      let first = try await server.subscribe()
      server.next(first, 4)
      await until { handle.phase == .ready(4) }
      let changes = ChangeCounter { _ = handle.phase }
      let second = try await reconnected(server, first)
      await until { handle.isStale }
      #expect(second.payload.live.since == Digest.of(4))
      server.send(second.connection, Self.unchanged(second.id))
      await until { !handle.isStale }
      #expect(handle.phase == .ready(4))
      #expect(changes.count == 0)
      server.next(second, 5)
      await until { handle.phase == .ready(5) }
      retention.release()
      await client.close()
    }
  }

  @Test("20 subscriptions of 10 KB come back for less than 200 bytes each, also to another process")
  func bytes() async throws {
    let text = String(repeating: "x", count: 10_000)
    var json: JSON.Object = [:]
    for number in 0..<20 { json["t\(number)"] = .string(text + String(number)) }
    let (one, two) = (try Server(.testing()), try Server(.testing()))
    for server in [one, two] { try await server.host(Document(.object(json))) }
    let (near, far) = (try await one.start().port, try await two.start().port)
    let forwarder = try Forwarder(to: UInt16(near))
    let client = Client("ws://127.0.0.1:\(forwarder.port)/ws")
    do {
      var readers = (0..<20).map {
        client.values(query: "t\($0)", as: String.self).makeAsyncIterator()
      }
      for number in 0..<20 { #expect(try await readers[number].next() == text + String(number)) }
      #expect(await one.statistics().digests == 0)
      for server in [one, two] {
        let port = server === one ? near : far
        forwarder.retarget(to: UInt16(port))
        let before = await server.statistics()
        await client.disconnect()
        forwarder.cut()
        try await client.connect()
        // Answered behind the first values of all that was subscribed before.
        _ = try await client.value(query: "`0`", as: Int.self)
        let after = await server.statistics()
        #expect(after.framesUnchanged - before.framesUnchanged == 20)
        let each = (after.bytesSent - before.bytesSent) / 20
        #expect(each <= 200 + 1_500 / 20, "\(each) bytes each, with 1,500 for greeting and answer")
      }
      // One of them changes: it is the only one that the application sees.
      try await client.patch([.replace("/t7", with: "new")])
      #expect(try await readers[7].next() == "new")
      for number in 0..<20 where number != 7 {
        try await client.patch([.replace("/t\(number)", with: "last")])
        #expect(try await readers[number].next() == "last")
      }
    } catch {
      await client.close()
      throw error
    }
    await client.close()
    for server in [one, two] { await server.stop() }
  }

  @Test("a busy server is asked again when it said, and then answers all that was subscribed")
  func busy() async throws {
    let configuration = ServerConfiguration.testing {
      $0.limits.connectionsPerSecond = 0.2
      $0.limits.connectionBurst = 1
    }
    try await withServer(configuration) { server, url in
      try await server.query("one") { 1 }
      let first = Client(url)
      try await first.connect()
      let second = Client(url, .manual(timing))
      let values = second.values("one", as: Int.self).makeAsyncIterator()
      let wait = try await timing.wait()
      // 5 s as it was told, and half of the spread: the test's chance is 0.5.
      #expect(wait.delay == .seconds(6.25))
      guard case .backingOff(_, let because) = second.state else {
        Issue.record("state is \(second.state)")
        return
      }
      #expect(because.retryable)
      _ = values
      await first.close()
      await second.close()
    }
  }

  @Test("a storm: 40 clients come back to a server that takes 10 at once; all is as it was")
  func storm() async throws {
    let names = (0..<5).map { "v\($0)" }
    let document = JSON.object(JSON.Object(names.map { (key: $0, value: 0) }))
    let narrow = ServerConfiguration.testing {
      $0.limits.connectionsPerSecond = 100
      $0.limits.connectionBurst = 10
    }
    let (one, two) = (try Server(.testing()), try Server(narrow))
    for server in [one, two] { try await server.host(Document(document)) }
    let forwarder = try Forwarder(to: UInt16(try await one.start().port))
    let next = try await two.start()
    var configuration = ClientConfiguration()
    configuration.backoff = Backoff(minimum: .milliseconds(20), maximum: .seconds(1))
    let url = "ws://127.0.0.1:\(forwarder.port)/ws"
    let clients = (0..<40).map { _ in Client(url, configuration) }
    var readers = clients.flatMap { client in
      names.map { client.values(query: $0, as: Int.self).makeAsyncIterator() }
    }
    for index in readers.indices { #expect(try await readers[index].next() == 0) }
    forwarder.retarget(to: UInt16(next.port))
    await one.stop()
    while await two.statistics().framesSent < 200 { await Task.yield() }
    let statistics = await two.statistics()
    #expect(statistics.framesUnchanged == 200)
    #expect(statistics.subscriptions == 200)
    #expect(statistics.connections == 40)
    // None was forgotten, and nothing else was shown meanwhile.
    let direct = Client(next.url)
    try await direct.patch(names.map { .replace("/\($0)", with: 1) })
    for index in readers.indices { #expect(try await readers[index].next() == 1) }
    #expect(statistics.connectionsRefused > 0)
    for client in clients + [direct] { await client.close() }
    await two.stop()
  }

  @Test("data that changed while the client was away arrives as the newest value, once")
  func changed() async throws {
    let document = try await Document(["n": 1, "m": 1])
    try await withServer { server, url in
      try await server.host(document)
      let client = Client(url)
      let other = Client(url)
      var n = client.values(query: "n", as: Int.self).makeAsyncIterator()
      var m = client.values(query: "m", as: Int.self).makeAsyncIterator()
      #expect(try await n.next() == 1)
      #expect(try await m.next() == 1)
      await client.disconnect()
      // Away: one changes, the other changes and changes back.
      try await other.patch([.replace("/n", with: 2), .replace("/m", with: 2)])
      try await other.patch([.replace("/n", with: 3), .replace("/m", with: 1)])
      try await client.connect()
      #expect(try await n.next() == 3)
      try await client.patch([.replace("/m", with: 5)])
      #expect(try await m.next() == 5)
      await client.close()
      await other.close()
    }
  }
}
