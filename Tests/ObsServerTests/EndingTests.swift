import ObsServer
import ObsTestSupport
import Testing

@Suite("How queries end, fail and heal", .timeLimit(.minutes(5)))
struct EndingTests {
  @Test("a query ends by value: its last value, then complete")
  func byValue() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      try await server.queryUntilFinished("countdown") { () -> Iteration<Int> in
        board.counter < 3 ? .next(3 - board.counter) : .finished
      }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("d", "countdown")
      #expect(try await client.value("d").data == 3)
      for expected in [2, 1] {
        let (_, before) = try await client.call("bump")
        #expect(before.map(\.short).first?.hasPrefix("d=\(expected)@") == true)
      }
      let (_, before) = try await client.call("bump")
      #expect(before.map(\.short) == ["d."])
      #expect(await server.statistics().liveQueries == 0)
    }
  }

  @Test("a query ends by its error")
  func byError() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      try await server.queryUntilFinished("fragile") { () throws -> Iteration<Int> in
        if board.counter > 0 { throw WireError(.invalidValue, "broken at \(board.counter)") }
        return .next(board.counter)
      }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("f", "fragile")
      #expect(try await client.value("f").data == 0)
      let (_, before) = try await client.call("bump")
      #expect(before.map(\.short) == ["f!invalid-value"])
    }
  }

  @Test("a query ends by the removal of its model")
  func byRemoval() async throws {
    try await withServer { server, url in
      let hosted = try await server.host("board", Board())
      try await server.queryUntilFinished("items") { () -> Iteration<Int> in
        guard let board = hosted.model else { return .finish }
        return .next(board.items.count)
      }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("i", "items")
      #expect(try await client.value("i").data == 0)
      await server.remove("board")
      guard case .complete("i") = try await client.next() else {
        Issue.record("no complete")
        return
      }
      client.subscribe("again", "items")
      guard case .complete("again") = try await client.next() else {
        Issue.record("a new subscription of an ended query did not end")
        return
      }
    }
  }

  @Test("an error that data can heal is a value: the subscription lives on")
  func heals() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      try await server.query("ratio") { () throws -> Double in
        if board.counter == 0 { throw WireError(.notANumber, "division by zero") }
        return 1 / Double(board.counter)
      }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("r", "ratio")
      let failed = try await client.value("r")
      #expect(failed.data == .null)
      #expect(failed.errors.first?.code == .notANumber)
      client.subscribe("c", "bump")
      let healed = try await client.value("r")
      #expect(healed.data == 1.0)
      #expect(healed.errors.isEmpty)
    }
  }

  @Test("an error of another type is told as internal, without details")
  func noDetails() async throws {
    struct Secret: Error { var password = "hunter2" }
    try await withServer(.testing { $0.logLevel = .off }) { server, url in
      try await server.command("fail") { () throws -> Int in throw Secret() }
      let client = try await ProtocolClient.connect(url)
      let error = await #expect(throws: WireError.self) { try await client.call("fail") }
      #expect(error?.code == .internal)
      #expect(error?.message.contains("hunter2") == false)
      #expect(error?.extensions["id"]?.stringValue != nil)
    }
  }

  @Test("a value over valueBytes is an error that names the limit, and heals")
  func tooLarge() async throws {
    let board = Board()
    try await withServer(.testing { $0.limits.valueBytes = 100 }) { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      client.subscribe("t", "title")
      _ = try await client.value("t")
      client.subscribe("c", "rename", ["title": .string(String(repeating: "x", count: 200))])
      let refused = try await client.value("t")
      #expect(refused.errors.first?.code == .resultTooLarge)
      #expect(refused.errors.first?.extensions["limit"] == 100)
      _ = try await client.call("rename", ["title": "short"], id: "d")
    }
  }
}
