import ObsServer
import ObsTestSupport
import Testing

@Suite("Commands", .timeLimit(.minutes(5)))
struct CommandTests {
  @Test("an argument of the wrong type is refused by name; a missing one, too")
  func badArguments() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      let mistyped = await #expect(throws: WireError.self) {
        try await client.call("close", ["id": "seven"])
      }
      #expect(mistyped?.code == .badVariables)
      #expect(mistyped?.extensions["argument"] == "id")
      let missing = await #expect(throws: WireError.self) { try await client.call("close") }
      #expect(missing?.extensions["argument"] == "id")
      client.subscribe("n", "newest", ["limit": "many"])
      guard case .error("n", let errors) = try await client.next() else {
        Issue.record("no error")
        return
      }
      #expect(errors[0].extensions["argument"] == "limit")
    }
  }

  @Test("an unknown operation is refused, and the hint lists the known ones")
  func unknown() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      let error = await #expect(throws: WireError.self) { try await client.call("opne") }
      #expect(error?.code == .unknownOperation)
      #expect(error?.hint?.contains("openCount") == true)
    }
  }

  @Test("a command sent again with its key is answered, not run; a UUID id is a key")
  func idempotent() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let first = try await ProtocolClient.connect(url)
      let second = try await ProtocolClient.connect(url)
      let live = LiveOptions(key: "k1")
      let one = try await first.call("add", ["title": "a"], live: live).answer
      let two = try await second.call("add", ["title": "a"], live: live).answer
      #expect(one.data == two.data)
      let reused = await #expect(throws: WireError.self) {
        try await second.call("add", ["title": "b"], live: live)
      }
      #expect(reused?.code == .keyReused)
      let uuid = "0b9a3c0e-7d52-4f6f-9a51-2f2f0c1d9e11"
      _ = try await first.call("add", ["title": "c"], id: uuid)
      _ = try await second.call("add", ["title": "c"], id: uuid)
      #expect(try await first.call("add", ["title": "d"]).answer.data == 3)
    }
  }

  @Test("a command that suspends is answered when it ends, and its key waits with it")
  func suspends() async throws {
    let gate = Gate()
    try await withServer { server, url in
      let runs = Board()
      try await server.command("slow") { () async throws -> Int in
        runs.counter += 1
        await gate.wait()
        return runs.counter
      }
      let client = try await ProtocolClient.connect(url)
      let live = LiveOptions(key: "k")
      client.subscribe("one", "slow", live: live)
      client.subscribe("two", "slow", live: live)
      try await server.command("ping") { 1 }
      _ = try await client.call("ping")
      await gate.open()
      var answers: [String] = []
      while answers.count < 4 { answers.append(try await client.next().kind) }
      #expect(answers.sorted() == ["one.", "one=1", "two.", "two=1"])
    }
  }

  @Test("a command that has begun is done, also when its caller has gone")
  func callerGone() async throws {
    let gate = Gate()
    let board = Board()
    try await withServer { server, url in
      try await server.query("counter") { board.counter }
      try await server.command("slow") { () async throws -> Void in
        await gate.wait()
        try Task.checkCancellation()
        board.counter = 7
      }
      let watcher = try await ProtocolClient.connect(url)
      watcher.subscribe("c", "counter")
      _ = try await watcher.value("c")
      let caller = try await ProtocolClient.connect(url)
      caller.subscribe("s", "slow")
      _ = try await caller.call("$describe")
      caller.kill()
      while await server.statistics().connections > 1 { _ = try await watcher.call("$describe") }
      await gate.open()
      #expect(try await watcher.value("c").data == 7)
    }
  }

  @Test("$describe lists operations with their arguments")
  func describe() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      let (answer, _) = try await client.call("$describe")
      let newest = answer.data["operations"]?.arrayValue?.first { $0["name"] == "newest" }
      #expect(newest == ["name": "newest", "kind": "query", "arguments": ["limit": "integer"]])
    }
  }
}

/// Opens once.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

extension ServerMessage {
  /// Like ``short``, without the rev.
  var kind: String { String(short.prefix { $0 != "@" }) }
}
