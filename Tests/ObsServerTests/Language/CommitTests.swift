import ObsServer
import ObsTestSupport
import Testing

@Suite("Commits over a socket", .timeLimit(.minutes(5)))
struct CommitTests {
  @Test("a patch whose last operation fails changes nothing and sends nothing")
  func allOrNothing() async throws {
    try await withDocument(issues) { _, document, client, _ in
      client.watch("w", "values(issues)[*].state")
      _ = try await client.value("w")
      await #expect(throws: WireError.self) {
        try await client.patch([
          ["op": "replace", "path": "/issues/i01/state", "value": "closed"],
          ["op": "remove", "path": "/issues/i99"],
        ])
      }
      #expect(await document.json == issues)
      #expect(await document.seq == 0)
      let next = try await client.patch([
        ["op": "test", "path": "/issues/i01/state", "value": "open"]
      ])
      #expect(next.before.isEmpty)
    }
  }

  @Test(
    "an error names the operation, the place and what was wrong",
    arguments: [
      (#"[{"op":"test","path":"/n","value":2}]"#, "conflict", "/n"),
      (#"[{"op":"add","path":"/n","value":2,"ifAbsent":true}]"#, "conflict", "/n"),
      (#"[{"op":"remove","path":"/list/-1"}]"#, "patch-failed", "/list/-1"),
      (#"[{"op":"remove","path":"/list/00"}]"#, "patch-failed", "/list/00"),
      (#"[{"op":"remove","path":"/list/1.5"}]"#, "patch-failed", "/list/1.5"),
      (#"[{"op":"remove","path":"/list/8"}]"#, "patch-failed", "/list/8"),
      (#"[{"op":"replace","path":"/text/0","value":1}]"#, "patch-failed", "/text/0"),
      (#"[{"op":"replace","path":"","value":1}]"#, "forbidden", ""),
      (#"[{"op":"remove","path":""}]"#, "forbidden", ""),
      (#"[{"op":"add","path":"/_server","value":1}]"#, "forbidden", "/_server"),
      (#"[{"op":"frob","path":"/n"}]"#, "patch-failed", nil),
      (#"[{"op":"add","value":1}]"#, "patch-failed", nil),
      (#"[1]"#, "patch-failed", nil), (#"{}"#, "patch-failed", nil),
    ] as [(String, String, String?)]
  )
  func errors(_ ops: String, _ code: String, _ pointer: String?) async throws {
    let before: JSON = ["n": 1, "list": [1, 2], "text": "abc"]
    try await withDocument(before) { _, document, client, _ in
      do {
        try await client.patch(try JSON(parsing: Array(ops.utf8), limits: .unlimited))
        Issue.record("applied")
      } catch let error as WireError {
        #expect(error.code.rawValue == code)
        if let pointer { #expect(error.extensions["pointer"] == .string(pointer)) }
      }
      #expect(await document.json == before)
    }
  }

  @Test("ifSeq refuses what was changed since, per record")
  func ifSeq() async throws {
    try await withDocument(issues) { _, _, client, _ in
      let votes: (String, Int64) -> JSON = { id, votes in
        [["op": "replace", "path": .string("/issues/\(id)/votes"), "value": .int(votes)]]
      }
      let seq = try #require(try await client.patch(votes("i01", 13)).answer.data["seq"]?.intValue)
      try await client.patch(votes("i02", 32))
      // Another record was changed since: no conflict.
      try await client.patch(votes("i01", 14), live: LiveOptions(ifSeq: seq))
      await #expect(throws: WireError.self) {
        try await client.patch(votes("i01", 15), live: LiveOptions(ifSeq: seq))
      }
      client.subscribe("x", "$describe", live: LiveOptions(ifSeq: 1))
      #expect(try await client.failure("x").code == .badVariables)
    }
  }

  @Test("a merge patch changes members, removes those that are null, and makes what is missing")
  func merge() async throws {
    try await withDocument(issues) { _, document, client, _ in
      _ = try await client.call(
        "$merge",
        ["at": "/issues/i01", "value": ["state": "closed", "votes": .null, "new": 1]]
      )
      #expect(
        await document.json["issues"]?["i01"]
          == ["id": "i01", "new": 1, "state": "closed", "title": "Crash"]
      )
      await #expect(throws: WireError.self) { try await client.call("$merge", ["at": "/issues"]) }
    }
  }

  @Test("a commit with a key is applied once, and answered again with its place")
  func idempotent() async throws {
    try await withDocument(["n": 0, "list": []]) { _, document, client, url in
      let add: JSON = [["op": "add", "path": "/list/-", "value": 1]]
      let first = try await client.patch(add, live: LiveOptions(key: "k1"))
      let again = try await client.patch(add, live: LiveOptions(key: "k1"))
      #expect(first.answer.data["seq"] == again.answer.data["seq"])
      #expect(await document.json["list"] == [1])
      await #expect(throws: WireError.self) {
        try await client.patch(
          [["op": "add", "path": "/list/-", "value": 2]],
          live: LiveOptions(key: "k1")
        )
      }
      // An operation id that is a UUID is the key, also on another connection.
      let id = "0f9f4a8e-5a0e-4b39-8d3c-0c2f6b7f1a11"
      try await client.patch(add, id: id)
      let other = try await ProtocolClient.connect(url)
      try await other.patch(add, id: id)
      #expect(await document.json["list"] == [1, 1])
    }
  }

  @Test("a patch over the limit of operations is refused with the limit's name")
  func tooManyOperations() async throws {
    try await withDocument(["n": 0]) { _, document, client, _ in
      let operation: JSON = ["op": "replace", "path": "/n", "value": 1]
      do {
        try await client.patch(.array(Array(repeating: operation, count: 1001)))
        Issue.record("applied")
      } catch let error as WireError {
        #expect(error.code == .tooLarge)
        #expect(error.extensions["limit"] != nil)
        #expect(error.message.contains("1000"))
      }
      #expect(await document.json["n"] == 0)
      try await client.patch(.array(Array(repeating: operation, count: 1000)))
    }
  }

  @Test("without a document, commits are refused and queries see nothing")
  func noDocument() async throws {
    try await withServer { _, url in
      let client = try await ProtocolClient.connect(url)
      await #expect(throws: WireError.self) { try await client.patch([]) }
      client.watch("w", "@")
      #expect(try await client.value("w").data == [:])
      client.watch("x", "@", live: LiveOptions(minSeq: 1))
      #expect(try await client.failure("x").code == .behind)
    }
  }

  @Test("carriers carry queries and commits")
  func carriers() async throws {
    try await withDocument(issues) { _, _, client, _ in
      client.watch(
        "w",
        """
        subscription W($s: String) { open: watch(query: "length(values(issues)[?state == $s])", \
        variables: {s: $s}) top: watch(query: "issues.i02") { title } }
        """,
        ["s": "open"]
      )
      #expect(try await client.value("w").data == ["open": 2, "top": ["title": "Dark mode"]])
      client.watch(
        "m",
        "mutation M($ops: JSON!) { done: patch(ops: $ops, key: \"m1\") { seq } }",
        ["ops": [["op": "replace", "path": "/issues/i01/state", "value": "closed"]]]
      )
      #expect(try await client.value("w").data["open"] == 1)
      #expect(try await client.value("m").data == ["done": ["seq": 1]])
      guard case .complete("m") = try await client.next() else {
        Issue.record("no complete")
        return
      }
      client.watch("q", #"query { query(query: "length(issues)") }"#)
      #expect(try await client.value("q").data == ["query": 3])
      client.watch("bad", #"subscription { watch(query: "length(") }"#)
      #expect(try await client.failure("bad").code == .syntax)
    }
  }

  @Test("$describe shows operations, functions, the visible shape, and examples that work")
  func describe() async throws {
    try await withDocument(issues) { server, _, client, _ in
      try await server.query("count") { 1 }
      try await server.function("double") { (n: Int) in 2 * n }
      let answer = try await client.call("$describe").answer.data
      #expect(answer["operations"]?[0]?["name"] == "count")
      #expect(answer["language"]?["functions"] == ["double"])
      #expect(answer["shape"]?["issues"]?["count"] == 3)
      #expect(answer["shape"]?["issues"]?["collection"]?["votes"] == "number")
      for (index, example) in (answer["examples"]?.arrayValue ?? []).enumerated() {
        client.watch("e\(index)", example.stringValue ?? "")
        #expect(try await client.value("e\(index)").errors.isEmpty)
      }
    }
  }

  @Test("registered functions are called by name, with arguments, and wake the query")
  func functions() async throws {
    let board = Board()
    try await withDocument(["n": 4]) { server, _, client, _ in
      try await server.registerBoard(board)
      try await server.function("titles") { board.items.map(\.title) }
      try await server.function("plus") { (a: Int, b: Int) in a + b }
      client.watch("a", "plus(n, `1`)")
      #expect(try await client.value("a").data == 5)
      client.watch("b", "titles()[0]")
      #expect(try await client.value("b").data == .null)
      _ = try await client.call("add", ["title": "first"])
      client.watch("c", "titles()")
      #expect(try await client.value("c").data == ["first"])
      client.watch("d", "plus('x', `1`)")
      let error = try await client.value("d").errors.first
      #expect(error?.code == .invalidType)
      #expect(error?.locations.isEmpty == false)
      client.watch("e", "plus(`1`)")
      #expect(try await client.failure("e").code == .invalidArity)
      await #expect(throws: ServerError.self) { try await server.function("length") { 1 } }
      await #expect(throws: ServerError.self) { try await server.function("plus") { 1 } }
    }
  }
}
