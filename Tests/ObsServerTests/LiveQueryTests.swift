import ObsServer
import ObsTestSupport
import Testing

@Suite("Live queries over a socket", .timeLimit(.minutes(5)))
struct LiveQueryTests {
  @Test("the first value comes at once, also of an empty set; then one frame a change")
  func firstAndChanges() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      client.subscribe("n", "newest", ["limit": 5])
      #expect(try await client.value("n").data == [])
      let (answer, before) = try await client.call("add", ["title": "one"])
      #expect(answer.data == 1)
      // The value that the command caused came before its answer.
      guard case .next("n", let payload) = before.first else {
        Issue.record("no frame before the answer")
        return
      }
      #expect(payload.data == [["id": 1, "title": "one", "open": true]])
      #expect(payload.extensions["rev"] == answer.extensions["rev"])
    }
  }

  @Test("a commit that touches nothing the query read causes no evaluation and no frame")
  func untouched() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      client.subscribe("t", "title")
      _ = try await client.value("t")
      let evaluations = await server.statistics().evaluations
      for _ in 0..<10 {
        let (_, before) = try await client.call("bump")
        #expect(before.isEmpty)
      }
      #expect(await server.statistics().evaluations == evaluations)
    }
  }

  @Test("a dependency was touched but the value is equal: no frame")
  func equalValue() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      try await server.query("any") { !board.items.isEmpty }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("a", "any")
      #expect(try await client.value("a").data == false)
      let (_, first) = try await client.call("add", ["title": "1"])
      #expect(first.count == 1)
      let (_, second) = try await client.call("add", ["title": "2"])
      #expect(second.isEmpty)
    }
  }

  @Test("1 query and many subscribers: one evaluation and one encoding a turn")
  func shared() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      var clients: [ProtocolClient] = []
      for _ in 0..<50 {
        let client = try await ProtocolClient.connect(url)
        client.subscribe("c", "counter")
        _ = try await client.value("c")
        clients.append(client)
      }
      let before = await server.statistics()
      #expect(before.liveQueries == 1)
      #expect(before.subscriptions == 50)
      _ = try await clients[0].call("bump")
      for client in clients.dropFirst() { #expect(try await client.value("c").data == 1) }
      let after = await server.statistics()
      #expect(after.evaluations - before.evaluations == 1)
      #expect(after.encodings - before.encodings == 1)
    }
  }

  @Test("after the last subscriber leaves there is no live query")
  func closed() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      client.subscribe("c", "counter")
      _ = try await client.value("c")
      client.complete("c")
      _ = try await client.call("rename", ["title": "x"])
      let statistics = await server.statistics()
      #expect(statistics.liveQueries == 0)
      #expect(statistics.subscriptions == 0)
    }
  }

  @Test("once: one value, then complete")
  func once() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      client.subscribe("o", "counter", live: LiveOptions(once: true))
      #expect(try await client.value("o").data == 0)
      guard case .complete("o") = try await client.next() else {
        Issue.record("no complete")
        return
      }
      _ = try await client.call("rename", ["title": "x"])
      #expect(await server.statistics().liveQueries == 0)
    }
  }
}
