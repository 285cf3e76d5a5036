import ObsServer
import ObsTestSupport
import ObsWire
import Testing

@testable import ObsClient

@MainActor
@Suite("Queries as text and commits, from the client", .timeLimit(.minutes(5)))
struct QueryTextTests {
  private func withDocument(
    _ body: @MainActor (Client, Document) async throws -> Void
  ) async throws {
    let document = try await Document([
      "issues": [
        "i01": ["state": "open", "votes": 12], "i02": ["state": "open", "votes": 31],
        "i03": ["state": "closed", "votes": 1],
      ]
    ])
    try await withServer { server, url in
      try await server.host(document)
      let client = Client(url)
      let result: Result<Void, any Error>
      do { result = .success(try await body(client, document)) } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  @Test("values come as the data changes, and a commit's own value before its answer")
  func values() async throws {
    try await withDocument { client, _ in
      let query = "length(values(issues)[?state == $s])"
      var values = client.values(query: query, ["s": "open"], as: Int.self).makeAsyncIterator()
      #expect(try await values.next() == 2)
      let done = try await client.patch([
        .test("/issues/i01/state", is: "open"), .replace("/issues/i01/state", with: "closed"),
      ])
      #expect(done.seq == 1)
      #expect(try await values.next() == 1)
      let variables: JSON.Object = ["n": 3, "unused": "x"]
      var frames = client.frames(query: "issues.i01.votes + $n", variables, as: Int.self)
        .makeAsyncIterator()
      let frame = try #require(try await frames.next())
      #expect(frame.value == 15)
      #expect(frame.seq == 1)
      #expect(frame.extensions["explain"] == nil)
      let merged = try await client.merge(at: "/issues/i01", ["votes": 13])
      #expect(merged.seq == 2)
      #expect(merged.rev > done.rev)
      let next = try #require(try await frames.next())
      #expect(next.value == 16)
      #expect(next.rev == merged.rev)
    }
  }

  @Test("a value once, with variables of one type and of several")
  func once() async throws {
    try await withDocument { client, _ in
      #expect(try await client.value(query: "length(issues)") == 3)
      let state = "open"
      #expect(
        try await client.value(
          query: "length(values(issues)[?state == $s])",
          ["s": state],
          as: Int.self
        ) == 2
      )
      #expect(
        try await client.value(
          query: "length(values(issues)[?state == $s && votes > $n])",
          ["s": "open", "n": 20],
          as: Int.self
        ) == 1
      )
      let frame = try await client.frame(query: "issues.i03.state", as: String.self)
      #expect(frame.value == "closed")
      #expect(frame.seq == 0)
      let wrong = await #expect(throws: ClientError.self) {
        try await client.value(query: "issues", as: Int.self)
      }
      #expect(wrong?.code == .badValue)
      #expect(wrong?.mayHeal == false)
    }
  }

  @Test("an error of the text has place, offset and hint; one of a commit operation and pointer")
  func errors() async throws {
    try await withDocument { client, _ in
      let text = await #expect(throws: ClientError.self) {
        try await client.value(query: "issues.\nlenght(@)", as: JSON.self)
      }
      #expect(text?.code == .unknownFunction)
      #expect(text?.location == WireError.Location(line: 2, column: 1))
      #expect(text?.offset == 8)
      #expect(text?.hint?.isEmpty == false)
      let commit = await #expect(throws: ClientError.self) {
        try await client.patch([
          .add("/n", 1), .add("/issues/i01", [:], ifAbsent: true), .remove("/n"),
        ])
      }
      #expect(commit?.code == .conflict)
      #expect(commit?.op == 1)
      #expect(commit?.pointer == "/issues/i01")
      let absent = try await client.value(query: "n", as: Int?.self)
      #expect(absent == nil)
    }
  }

  @Test("ifSeq refuses a commit when what it touches was changed since")
  func ifSeq() async throws {
    try await withDocument { client, _ in
      let first = try await client.merge(at: "/issues/i01", ["votes": 13], ifSeq: 0)
      let stale = await #expect(throws: ClientError.self) {
        try await client.patch([.replace("/issues/i01/votes", with: 99)], ifSeq: 0)
      }
      #expect(stale?.code == .conflict)
      try await client.patch([.replace("/issues/i01/votes", with: 14)], ifSeq: first.seq)
      try await client.patch([
        .copy(from: "/issues/i01", to: "/issues/i05"),
        .move(from: "/issues/i05", to: "/issues/i06"),
      ])
      #expect(try await client.value(query: "issues.i06.votes") == 14)
    }
  }

  @Test("the handle of a text: the same one for equal variables, current, and healed by the data")
  func handle() async throws {
    try await withDocument { client, _ in
      let handle = client.handle(
        forQuery: "length(values(issues)[?state == $s])",
        ["s": "open"],
        as: Int.self
      )
      let same = client.handle(
        for: TextQuery("length(values(issues)[?state == $s])", ["s": "open"], as: Int.self)
      )
      #expect(handle === same)
      let retention = handle.retain()
      await until { handle.phase == .ready(2) }
      try await client.patch([.replace("/issues/i01/state", with: "closed")])
      await until { handle.phase == .ready(1) }
      try await client.patch([.replace("/issues/i01/state", with: 7), .add("/x", "text")])
      let broken = client.handle(forQuery: "abs(x)", as: Int.self)
      let other = broken.retain()
      await until { if case .failed = broken.phase { true } else { false } }
      try await client.merge(at: "", ["x": -4])
      await until { broken.phase == .ready(4) }
      retention.release()
      other.release()
    }
  }
}

/// What is sent, and what is sent again.
@Suite("Commits on the wire", .timeLimit(.minutes(5)))
struct CommitTests {
  let timing = ManualTiming()

  @Test("a commit without a key gets one of its own, is sent again with it, and is answered once")
  func resend() async throws {
    try await FakeServer.with { server in
      let client = Client(server.url, .manual(timing))
      async let done = client.patch([.replace("/a", with: 1)], ifSeq: 7)
      let first = try await server.subscribe()
      #expect(first.payload.operationName == "$patch")
      #expect(
        first.payload.variables == ["ops": [["op": "replace", "path": "/a", "value": 1]]]
      )
      #expect(first.payload.live.ifSeq == 7)
      let key = try #require(first.payload.live.key)
      #expect(key.count == 36)
      server.kill(first.connection)
      try await timing.wait().end()
      let second = try await server.subscribe()
      #expect(second.payload.live.key == key)
      #expect(second.payload == first.payload)
      server.next(second, ["rev": 3, "seq": 8])
      #expect(try await done == Committed(rev: 3, seq: 8))

      async let other = client.merge(at: "/b", ["c": .null], key: "mine")
      let merge = try await server.subscribe()
      #expect(merge.payload.operationName == "$merge")
      #expect(merge.payload.variables == ["at": "/b", "value": ["c": .null]])
      #expect(merge.payload.live.key == "mine")
      server.next(merge, ["rev": 4, "seq": 9])
      #expect(try await other.seq == 9)
      await client.close()
    }
  }

  @Test("commits that one task starts are sent in that order")
  func order() async throws {
    try await FakeServer.with { server in
      let client = Client(server.url, .manual(timing))
      let started = try (0..<50).map { number in
        try client.start(.patch([.add("/n", .int(Int64(number)))]))
      }
      for number in 0..<50 {
        let call = try await server.subscribe()
        #expect(call.payload.variables["ops"]?[0]?["value"] == .int(Int64(number)))
        server.next(call, ["rev": 1, "seq": .int(Int64(number))])
      }
      for (number, commit) in started.enumerated() {
        #expect(try await commit.answer().seq == Int64(number))
      }
      await client.close()
    }
  }

  @Test("what the server would end the connection for is refused here")
  func refused() async throws {
    try await withServer { server, url in
      let client = Client(url)
      try await client.connect()
      let long = String(repeating: "k", count: 65)
      let key = await #expect(throws: ClientError.self) {
        try await client.patch([.remove("/a")], key: long)
      }
      #expect(key?.code == .badArguments)
      let text = JSON.string(String(repeating: "x", count: 300_000))
      let size = await #expect(throws: ClientError.self) {
        try await client.patch([.add("/a", text)])
      }
      #expect(size?.code == .tooLarge)
      #expect(size?.wire?.limit == "messageBytes")
      #expect(await server.statistics().connections == 1)
      await client.close()
    }
  }

  @Test("a task that is cancelled already sends nothing")
  func cancelled() async throws {
    try await FakeServer.with { server in
      let client = Client(server.url, .manual(timing))
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return try await client.patch([.remove("/a")])
      }
      task.cancel()
      let thrown = await #expect(throws: ClientError.self) { try await task.value }
      #expect(thrown?.code == .cancelled)
      async let marker = client.call("marker", as: Int.self)
      let call = try await server.subscribe()
      #expect(call.payload.operationName == "marker")
      server.next(call, 0)
      _ = try await marker
      await client.close()
    }
  }
}
