import ObsServer
import ObsTestSupport
import Testing

/// What a client hears that says which value it has (PROTOCOL.md, section 3.5).
@Suite("Resuming", .timeLimit(.minutes(5)))
struct ResumeTests {
  private static let open = "length(values(issues)[?state == 'open'])"

  private static func change(_ state: JSON) -> JSON {
    [["op": "replace", "path": "/issues/i01/state", "value": state]]
  }

  @Test("with `resume` every value carries its digest, which names the value and nothing else")
  func digests() async throws {
    try await withDocument(issues) { _, _, client, _ in
      client.watch("w", "issues.i01", live: LiveOptions(resume: true))
      let first = try await client.value("w")
      #expect(first.digest == Digest.of(first.data))
      #expect(!first.unchanged)
      _ = try await client.patch(Self.change("closed"))
      // The value came before the answer, so it is asked for once more.
      client.watch("once", "issues.i01", live: LiveOptions(once: true, resume: true))
      let second = try await client.value("once")
      #expect(second.data["state"] == "closed")
      #expect(second.digest == Digest.of(second.data))
      #expect(second.digest != first.digest)
    }
  }

  @Test("a later value carries its digest, too; who did not ask gets none")
  func laterValues() async throws {
    try await withDocument(issues) { _, _, client, url in
      let plain = try await ProtocolClient.connect(url)
      plain.watch("p", Self.open)
      #expect(try await plain.value("p").digest == nil)
      client.watch("w", Self.open, live: LiveOptions(resume: true))
      #expect(try await client.value("w").digest == Digest.of(2))
      let (_, before) = try await client.patch(Self.change("closed"))
      guard case .next("w", let later)? = before.first else {
        Issue.record("no value before the answer")
        return
      }
      #expect(later.data == 1)
      #expect(later.digest == Digest.of(1))
      #expect(try await plain.value("p").digest == nil)
    }
  }

  @Test("an unchanged value is not sent again, and later ones are, as usual")
  func unchanged() async throws {
    try await withDocument(issues) { server, _, client, _ in
      client.watch("w", Self.open, live: LiveOptions(since: Digest.of(2)))
      let first = try await client.value("w")
      #expect(first.data == .null)
      #expect(first.unchanged)
      #expect(first.errors.isEmpty)
      #expect(first.digest == Digest.of(2))
      #expect(first.rev != nil)
      #expect(first.seq == 0)
      #expect(await server.statistics().framesUnchanged == 1)
      let (_, before) = try await client.patch(Self.change("closed"))
      guard case .next("w", let later)? = before.first else {
        Issue.record("no value before the answer")
        return
      }
      #expect(later.data == 1)
      #expect(!later.unchanged)
      #expect(later.digest == nil)
    }
  }

  @Test("scenario 8: a digest that is not the value's, or of nothing, brings one whole value")
  func changed() async throws {
    try await withDocument(issues) { _, _, client, _ in
      for (id, since) in [("a", Digest.of(3)), ("b", String(repeating: "z", count: 22))] {
        client.watch(id, Self.open, live: LiveOptions(since: since))
        let first = try await client.value(id)
        #expect(first.data == 2)
        #expect(!first.unchanged)
        #expect(first.extensions["unchanged"] == nil)
      }
      // Exactly one: what follows is the answer to the next question.
      client.watch("marker", "`0`", live: LiveOptions(once: true))
      #expect(try await client.value("marker").data == 0)
    }
  }

  @Test("changed and changed back while the client was away is unchanged")
  func changedBack() async throws {
    try await withDocument(issues) { _, _, client, url in
      client.watch("w", "issues.i01", live: LiveOptions(resume: true))
      let digest = try #require(try await client.value("w").digest)
      client.complete("w")
      _ = try await client.patch(Self.change("closed"))
      _ = try await client.patch(Self.change("open"))
      let other = try await ProtocolClient.connect(url)
      other.watch("w", "issues.i01", live: LiveOptions(since: digest, resume: true))
      let w = try await other.value("w")
      #expect(w.unchanged)
    }
  }

  @Test("an error has no digest and is told whole; the value that heals it is sent whole")
  func errors() async throws {
    try await withDocument(["n": "text", "m": 4]) { _, _, client, _ in
      client.watch("w", "abs(n)", live: LiveOptions(since: Digest.of(.null), resume: true))
      let first = try await client.value("w")
      #expect(first.errors.first?.code == .invalidType)
      #expect(!first.unchanged)
      #expect(first.digest == nil)
      let (_, before) = try await client.patch([["op": "replace", "path": "/n", "value": -4]])
      guard case .next("w", let healed)? = before.first else {
        Issue.record("no value before the answer")
        return
      }
      #expect(healed.data == 4)
      #expect(healed.digest == Digest.of(4))
    }
  }

  @Test("the value `null` can be unchanged like any other")
  func null() async throws {
    try await withDocument(issues) { _, _, client, _ in
      client.watch("w", "missing", live: LiveOptions(since: Digest.of(.null)))
      let w = try await client.value("w")
      #expect(w.unchanged)
    }
  }

  @Test("several at once, of all sizes: each is judged by itself, and the unchanged are short")
  func several() async throws {
    let text = { (size: Int) in JSON.string(String(repeating: "x", count: size)) }
    let document: JSON = ["s": text(10), "m": text(20_000), "l": text(200_000), "n": 1]
    try await withDocument(document) { server, _, _, url in
      let client = try await ProtocolClient.connect(url)
      let before = await server.statistics().bytesSent
      for name in ["s", "m", "l"] {
        let value = try #require(document[name])
        client.watch(name, name, live: LiveOptions(since: Digest.of(value)))
      }
      client.watch("n", "n", live: LiveOptions(since: Digest.of(2)))
      for name in ["s", "m", "l"] { #expect(try await client.value(name).unchanged) }
      #expect(try await client.value("n").data == 1)
      #expect(await server.statistics().bytesSent - before < 4 * 200)
      // Large values, when they do change.
      let (_, changes) = try await client.patch([
        ["op": "replace", "path": "/l", "value": text(200_001)]
      ])
      guard case .next("l", let large)? = changes.first else {
        Issue.record("no value before the answer")
        return
      }
      #expect(large.data == text(200_001))
    }
  }

  @Test("a digest holds for another server with the same data, and for another spelling")
  func otherServer() async throws {
    var digest = ""
    try await withDocument(issues) { _, _, client, _ in
      client.watch("w", "values(issues)[?votes > `10`]", live: LiveOptions(resume: true))
      digest = try #require(try await client.value("w").digest)
    }
    try await withDocument(issues) { _, _, client, _ in
      client.watch("w", "values(issues) [? votes > `10.0` ]", live: LiveOptions(since: digest))
      let w = try await client.value("w")
      #expect(w.unchanged)
    }
  }

  @Test("numbers are named by what they are: 3 and 3.0 have one digest")
  func numbers() async throws {
    try await withServer { server, url in
      try await server.query("whole") { [3.0, 1.5] }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("w", "whole", live: LiveOptions(since: Digest.of([3, 1.5])))
      let w = try await client.value("w")
      #expect(w.unchanged)
    }
  }

  @Test("`once` and carrier documents resume, too")
  func forms() async throws {
    try await withDocument(issues) { _, _, client, _ in
      client.watch("o", Self.open, live: LiveOptions(once: true, since: Digest.of(2)))
      let o = try await client.value("o")
      #expect(o.unchanged)
      guard case .complete("o") = try await client.next() else {
        Issue.record("no complete")
        return
      }
      let carrier = "subscription { n: watch(query: \"length(issues)\") }"
      client.watch("c", carrier, live: LiveOptions(since: Digest.of(["n": 3])))
      let c = try await client.value("c")
      #expect(c.unchanged)
    }
  }

  @Test("explained and resumed at once: the explanation comes with it")
  func explained() async throws {
    try await withDocument(issues) { _, _, client, _ in
      client.watch("w", Self.open, live: LiveOptions(explain: true, since: Digest.of(2)))
      let first = try await client.value("w")
      #expect(first.unchanged)
      #expect(first.extensions["explain"]?["reads"] != nil)
    }
  }

  @Test("a digest is computed once a value for all who resume, and never when nobody does")
  func cost() async throws {
    try await withDocument(issues) { server, _, client, url in
      client.watch("plain", Self.open)
      _ = try await client.value("plain")
      _ = try await client.patch(Self.change("closed"))
      #expect(await server.statistics().digests == 0)
      var others: [ProtocolClient] = []
      for _ in 0..<20 {
        let other = try await ProtocolClient.connect(url)
        other.watch("w", Self.open, live: LiveOptions(since: Digest.of(1), resume: true))
        let w = try await other.value("w")
        #expect(w.unchanged)
        others.append(other)
      }
      #expect(await server.statistics().digests == 1)
      _ = try await client.patch(Self.change("open"))
      for other in others { #expect(try await other.value("w").digest == Digest.of(2)) }
      #expect(await server.statistics().digests == 2)
      // Those who only said what they had do not make later values cost more.
      for other in others { other.complete("w") }
      let last = try await ProtocolClient.connect(url)
      last.watch("w", Self.open, live: LiveOptions(since: Digest.of(2)))
      let w = try await last.value("w")
      #expect(w.unchanged)
      _ = try await client.patch(Self.change("closed"))
      #expect(try await last.value("w").data == 1)
      #expect(await server.statistics().digests == 2)
    }
  }

  @Test("`since` belongs to queries; `resume` is harmless anywhere")
  func others() async throws {
    try await withServer { server, url in
      try await server.registerBoard(Board())
      try await server.stream("numbers") { AsyncStream<Int> { $0.finish() } }
      let client = try await ProtocolClient.connect(url)
      let since = LiveOptions(since: Digest.of(1))
      for operation in ["numbers", "bump"] {
        client.subscribe(operation, operation, live: since)
        let error = try await client.failure(operation)
        #expect(error.code == .badVariables)
        #expect(error.extensions["argument"] == "since")
      }
      let (answer, _) = try await client.call("bump", live: LiveOptions(resume: true))
      #expect(answer.digest == nil)
    }
  }

  @Test("as server-sent events: the first one says that nothing changed, the next one what did")
  func events() async throws {
    try await withDocument(issues) { _, _, client, url in
      let web = try await WebClient(url)
      let live = WebClient.encoded(#"{"live":{"since":"\#(Digest.of(2))","resume":true}}"#)
      let query = WebClient.encoded(Self.open)
      let target = "/query?query=\(query)&extensions=\(live)"
      try await web.send("GET", target, ["Accept": "text/event-stream"])
      while let line = try await web.peer.line(), !line.isEmpty {}
      func event() async throws -> JSON {
        var text = ""
        while !text.hasSuffix("\n\n") { text += try #require(try await web.peer.chunk()) }
        let data = try #require(text.split(separator: "\n").first { $0.hasPrefix("data: ") })
        return try JSON(parsing: String(data.dropFirst(6)))
      }
      let first = try await event()
      #expect(first["data"] == .null)
      #expect(first["extensions"]?["unchanged"] == true)
      _ = try await client.patch(Self.change("closed"))
      let second = try await event()
      #expect(second["data"] == 1)
      #expect(second["extensions"]?["digest"] == .string(Digest.of(1)))
      #expect(second["extensions"]?["unchanged"] == nil)
      web.peer.close()
    }
  }

  @Test("over HTTP: `since` in one answer, the digest is the tag, and nonsense is refused")
  func http() async throws {
    try await withDocument(issues) { server, _, _, url in
      let client = try await WebClient(url)
      let since = WebClient.encoded(#"{"live":{"since":"\#(Digest.of(3))","resume":true}}"#)
      let target = "/query?query=length(issues)&extensions=\(since)"
      let once = try await client.ask("GET", target)
      #expect(once.headers["etag"] == "\"\(Digest.of(3))\"")
      #expect(try once.json["data"] == .null)
      #expect(try once.json["extensions"]?["unchanged"] == true)
      let bad = WebClient.encoded(#"{"live":{"since":"x"}}"#)
      let refused = try await client.ask("GET", "/query?query=length(issues)&extensions=\(bad)")
      #expect(refused.status == 400)
      #expect(refused.body.contains("live.since"))
    }
  }
}
