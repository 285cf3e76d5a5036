import ObsServer
import ObsTestSupport
import ObsTransport
import Testing

/// Runs a server with a document, and a client of it.
func withDocument(
  _ json: JSON,
  _ configuration: ServerConfiguration = .testing(),
  _ body: (Server, Document, ProtocolClient, String) async throws -> Void
) async throws {
  let document = try await Document(json)
  try await withServer(configuration) { server, url in
    try await server.host(document)
    try await body(server, document, try await ProtocolClient.connect(url), url)
  }
}

let issues: JSON = [
  "issues": [
    "i01": ["id": "i01", "state": "open", "title": "Crash", "votes": 12],
    "i02": ["id": "i02", "state": "open", "title": "Dark mode", "votes": 31],
    "i03": ["id": "i03", "state": "closed", "title": "Typo", "votes": 1],
  ]
]

@Suite("Queries as text", .timeLimit(.minutes(5)))
struct LanguageTests {
  @Test("a query is watched, and hears of changes of what it reads only")
  func watch() async throws {
    try await withDocument(issues) { server, _, client, _ in
      client.watch("w", "length(values(issues)[?state == 'open'])")
      let first = try await client.value("w")
      #expect(first.data == 2)
      #expect(first.seq == 0)
      let before = await server.statistics().evaluations
      let silent = try await client.patch([
        ["op": "replace", "path": "/issues/i01/title", "value": "Crash on start"]
      ])
      #expect(silent.before.isEmpty)
      #expect(silent.answer.data["seq"] == 1)
      #expect(await server.statistics().evaluations == before)
      let heard = try await client.patch([
        ["op": "replace", "path": "/issues/i01/state", "value": "closed"]
      ])
      guard case .next("w", let payload)? = heard.before.first else {
        Issue.record("no value before the answer: \(heard.before)")
        return
      }
      #expect(payload.data == 1)
      #expect(payload.seq == 2)
      #expect(payload.rev == heard.answer.rev)
      #expect(heard.answer.data["rev"]?.intValue == heard.answer.rev)
      #expect(await server.statistics().evaluations == before + 1)
    }
  }

  @Test("the same query with another spelling and the same variables shares one evaluation")
  func sharing() async throws {
    try await withDocument(issues) { server, _, client, url in
      client.watch("a", "length(values(issues)[?state == $s])", ["s": "open"])
      #expect(try await client.value("a").data == 2)
      client.watch("b", " length( values( issues )[?state==$s ] ) ", ["s": "open", "unused": 1])
      #expect(try await client.value("b").data == 2)
      let other = try await ProtocolClient.connect(url)
      other.watch("a", "length(values(issues)[?state == $s])", ["s": "closed"])
      #expect(try await other.value("a").data == 1)
      #expect(await server.statistics().liveQueries == 2)
      client.complete("a")
      client.complete("b")
      _ = try await client.patch([["op": "test", "path": "/issues/i01/state", "value": "open"]])
      #expect(await server.statistics().liveQueries == 1)
    }
  }

  @Test(
    "a text that cannot be a query is refused with its place",
    arguments: [
      ("length(issues", "syntax", 13), ("frobnicate(@)", "unknown-function", 0),
      ("length(@, @)", "invalid-arity", 0), ("a +", "syntax", 3),
      ("`9223372036854775808`", "number-range", 1), ("$x", "undefined-variable", nil),
      (String(repeating: "(", count: 7000) + "a", "too-complex", nil),
      ("a" + String(repeating: " ", count: 9000), "too-complex", nil),
    ] as [(String, String, Int?)]
  )
  func refused(_ text: String, _ code: String, _ offset: Int?) async throws {
    try await withDocument(issues) { server, _, client, _ in
      client.watch("w", text)
      let error = try await client.failure("w")
      #expect(error.code.rawValue == code)
      if let offset {
        #expect(error.extensions["offset"] == .int(Int64(offset)))
        #expect(error.locations == [WireError.Location(line: 1, column: offset + 1)])
      }
      // The connection and the server go on.
      client.watch("x", "length(issues)")
      #expect(try await client.value("x").data == 3)
    }
  }

  @Test("an error that data can heal is a value, and the subscription lives on")
  func heals() async throws {
    try await withDocument(["n": "three", "m": 2]) { _, _, client, _ in
      client.watch("w", "abs(n) + m")
      let broken = try await client.value("w")
      #expect(broken.data.isNull)
      #expect(broken.errors.first?.code == .invalidType)
      #expect(broken.errors.first?.locations.isEmpty == false)
      let healed = try await client.patch([["op": "replace", "path": "/n", "value": -3]])
      guard case .next("w", let payload)? = healed.before.first else {
        Issue.record("no value")
        return
      }
      #expect(payload.data == 5)
    }
  }

  @Test("an expression that goes beyond the budget is stopped, others are answered")
  func budget() async throws {
    let rows = JSON.array((0..<3000).map { .int($0) })
    try await withDocument(["rows": rows]) { _, _, client, _ in
      client.watch("a", "rows[*].[@, $.rows[*].[@, @]]")
      #expect(try await client.value("a").errors.first?.code == .budgetExceeded)
      client.watch(
        "b",
        """
        let $a = rows in let $b = [$a, $a, $a, $a] in let $c = [$b, $b, $b, $b] in \
        let $d = [$c, $c, $c, $c] in [$d, $d, $d, $d]
        """
      )
      let bomb = try await client.value("b")
      #expect([.resultTooLarge, .budgetExceeded].contains(bomb.errors.first?.code))
      client.watch("c", "pad_left('a', `1000000000`)")
      #expect(try await client.value("c").errors.isEmpty == false)
      client.watch("d", "rows[*].[$.rows[*].[$.rows[*].[@]]]")
      #expect(try await client.failure("d").code == .tooComplex)
      client.watch("e", "length(rows)")
      #expect(try await client.value("e").data == 3000)
    }
  }

  @Test("what is probably not meant is said with the first value, and only then")
  func warnings() async throws {
    try await withDocument(issues) { _, _, client, _ in
      client.watch("w", "!issues.i01.closed")
      let first = try await client.value("w")
      let warning = try #require(first.extensions["warnings"]?[0])
      #expect(warning["message"]?.stringValue?.contains("!(") == true)
      #expect(warning["offset"]?.intValue != nil)
    }
  }

  @Test("explain says what was read, how much it cost, and what caused the value")
  func explain() async throws {
    try await withDocument(issues) { _, _, client, _ in
      client.watch("plain", "length(values(issues)[?state=='open'])")
      #expect(try await client.value("plain").extensions["explain"] == nil)
      client.watch(
        "w",
        "length( values(issues)[?state == 'open'] )",
        live: LiveOptions(explain: true)
      )
      let first = try #require(try await client.value("w").extensions["explain"])
      #expect(first["query"] == "length(values(issues)[?state=='open'])")
      #expect(first["subscribers"] == 2)
      #expect(first["steps"]?.intValue ?? 0 > 0)
      #expect(first["cause"] == nil)
      let reads = first["reads"]?.arrayValue?.compactMap(\.stringValue) ?? []
      #expect(reads.isEmpty == false)
      let (_, before) = try await client.patch([
        ["op": "replace", "path": "/issues/i03/state", "value": "open"]
      ])
      var second: JSON?
      for case .next("w", let payload) in before { second = payload.extensions["explain"] }
      let cause = try #require(second?["cause"]?.stringValue)
      #expect(reads.contains(cause))
      for case .next("plain", let payload) in before {
        #expect(payload.extensions["explain"] == nil)
      }
    }
  }

  @Test("3 becoming 3.0 sends nothing, 3.5 does")
  func sameNumber() async throws {
    try await withDocument(["n": 3]) { _, _, client, _ in
      client.watch("w", "{n: n}")
      #expect(try await client.value("w").data == ["n": 3])
      let same = try await client.patch([["op": "replace", "path": "/n", "value": 3.0]])
      #expect(same.before.isEmpty)
      let other = try await client.patch([["op": "replace", "path": "/n", "value": 3.5]])
      #expect(other.before.count == 1)
    }
  }

  @Test("numbers travel exactly, or are refused with their place")
  func exactNumbers() async throws {
    try await withDocument(["n": 0]) { _, _, client, _ in
      client.watch("w", "n")
      #expect(try await client.value("w").data == 0)
      for text in ["750727362669608961", "9007199254740993", "0.1", "-7", "1e+22"] {
        let ops = #"[{"op":"replace","path":"/n","value":\#(text)}]"#
        client.send(
          text: Array(
            #"""
            {"id":"p","type":"subscribe","payload":{"query":"","operationName":"$patch","variables":{"ops":\#(ops)}}}
            """#.utf8
          )
        )
        #expect(try await client.value("w").data.description == text)
        guard case .next("p", _) = try await client.next(),
          case .complete("p") = try await client.next()
        else {
          Issue.record("no answer")
          return
        }
      }
      client.send(
        text: Array(
          #"""
          {"id":"p","type":"subscribe","payload":{"query":"","operationName":"$patch","variables":{"ops":[{"op":"replace","path":"/n","value":1E400}]}}}
          """#.utf8
        )
      )
      let close = try await client.ended()
      #expect(close.code == 4400)
      #expect(close.reason.contains("number"))
    }
  }
}
