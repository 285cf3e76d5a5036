import Foundation
import ObsTestSupport
import ObsTransport
import ObsWire
import Testing

/// Queries and commits that would take too much, sent to the daemon: each is refused by name, and a watcher on another
/// connection hears what comes afterwards and nothing before it.
@Suite("Expensive input", .serialized, .timeLimit(.minutes(5)))
struct ExpensiveInputTests {
  /// A daemon, somebody who sends bad things, and somebody else who watches.
  private struct Scene {
    let obsd: Obsd
    let witness: ProtocolClient
    let rows: JSON

    /// Nothing was applied: the next that the witness hears of is a commit of another connection.
    func expectQuiet(_ name: String) async throws {
      let client = try await ProtocolClient.connect(obsd.url)
      _ = try await client.patch([["op": "add", "path": "/mark", "value": .string(name)]])
      let value = try await witness.value("w").data
      #expect(value["mark"] == .string(name), "\(name)")
      #expect(value["same"] == true, "\(name)")
      client.close()
    }
  }

  private static func withScene(
    _ arguments: [String] = [],
    _ body: (Scene) async throws -> Void
  ) async throws {
    let rows = JSON.array((0..<3000).map { ["n": .int($0)] })
    let document: JSON = ["rows": rows, "n": 1, "list": [1, 2], "mark": ""]
    try await Obsd.with(document: document, arguments) { obsd in
      let witness = try await ProtocolClient.connect(obsd.url)
      witness.watch("w", "{mark: mark, same: n == `1` && list == `[1, 2]`}")
      #expect(try await witness.value("w").data == ["mark": "", "same": true])
      try await body(Scene(obsd: obsd, witness: witness, rows: rows))
      obsd.program.send(SIGTERM)
      #expect(await obsd.program.exitCode() == 0)
    }
  }

  @Test("texts that are too complex are refused with their place before anything is evaluated")
  func refused() async throws {
    try await Self.withScene { scene in
      let client = try await ProtocolClient.connect(scene.obsd.url)
      let texts = [
        ("10,000 parentheses", String(repeating: "(", count: 10_000), "8192 bytes"),
        (
          "10,000 parentheses, closed",
          String(repeating: "(", count: 10_000) + "n" + String(repeating: ")", count: 10_000),
          "8192 bytes"
        ),
        (
          "8,000 parentheses, within the length", String(repeating: "(", count: 8000) + "n",
          "deeper than 50"
        ),
        ("a join of degree 3", "rows[*].[$.rows[*].[$.rows[*].[@]]]", "nested 3 deep; 2 is"),
        (
          "4,000 times the document", "[@" + String(repeating: ",@", count: 3999) + "]",
          "more than 500 nodes"
        ),
        ("500 lets", String(repeating: "let $a = n in ", count: 500) + "$a", "deeper than 50"),
      ]
      for (name, text, words) in texts {
        client.watch("q", text)
        let error = try await client.failure("q")
        #expect(error.code == .tooComplex, "\(name): \(error.message)")
        #expect(error.message.contains(words), "\(name): \(error.message)")
        #expect(error.locations.count == 1, "\(name)")
        try await scene.expectQuiet(name)
      }
      client.watch("q", "n")
      #expect(try await client.value("q").data == 1)
    }
  }

  @Test("evaluations that would take too much are stopped while they run")
  func stopped() async throws {
    try await Self.withScene { scene in
      let client = try await ProtocolClient.connect(scene.obsd.url)
      let texts: [(String, String, [ErrorCode])] = [
        (
          "the document 200 times", "[@" + String(repeating: ",@", count: 199) + "]",
          [.resultTooLarge, .budgetExceeded]
        ),
        ("each row with all rows", "rows[*].[@, $.rows[*].[@, @]]", [.budgetExceeded]),
        (
          "a bomb of nested lets",
          """
          let $a = rows in let $b = [$a, $a, $a, $a] in let $c = [$b, $b, $b, $b] in \
          let $d = [$c, $c, $c, $c] in [$d, $d, $d, $d]
          """, [.resultTooLarge, .budgetExceeded]
        ),
        (
          "a bomb of texts",
          """
          let $a = pad_left('a', `10000`) in let $b = join('', [$a, $a, $a, $a, $a]) in \
          let $c = join('', [$b, $b, $b, $b, $b]) in join('', [$c, $c, $c, $c, $c])
          """, [.resultTooLarge, .budgetExceeded]
        ),
        ("a width of a billion", "pad_left('a', `1000000000`)", [.budgetExceeded]),
      ]
      for (name, text, codes) in texts {
        client.watch("q", text, live: LiveOptions(once: true))
        let value = try await client.value("q")
        #expect(value.data.isNull, "\(name)")
        let error = try #require(value.errors.first, "\(name)")
        #expect(codes.contains(error.code), "\(name): \(error.code) \(error.message)")
        #expect(error.message.contains(/[0-9]{4}/), "\(name): \(error.message)")
        #expect(try await client.next() == .complete(id: "q"))
        try await scene.expectQuiet(name)
      }
      client.watch("q", "length(rows)")
      #expect(try await client.value("q").data == 3000)
    }
  }

  /// A patch of so many bytes that would change what the witness sees.
  private static func patch(bytes: Int) -> String {
    let rest = String(repeating: "x", count: bytes)
    return
      #"[{"op":"replace","path":"/n","value":2},{"op":"add","path":"/rest","value":"\#(rest)"}]"#
  }

  @Test("a patch of 10 MB: 1009, 413, and nothing is applied")
  func large() async throws {
    try await Self.withScene { scene in
      let client = try await ProtocolClient.connect(scene.obsd.url)
      client.patch(text: Self.patch(bytes: 10_000_000))
      #expect(try await client.ended().code == 1009)
      try await scene.expectQuiet("socket")
      let answer = try await Curl.patch(scene.obsd, Self.patch(bytes: 10_000_000))
      #expect(answer.status == "413")
      try await scene.expectQuiet("HTTP")
    }
  }

  @Test("100,000 operations, also where messages may be that large: refused with the limit")
  func many() async throws {
    let operation = #"{"op":"replace","path":"/n","value":2}"#
    let all = "[" + String(repeating: operation + ",", count: 99_999) + operation + "]"
    try await Self.withScene { scene in
      let client = try await ProtocolClient.connect(scene.obsd.url)
      client.patch(text: all)
      #expect(try await client.ended().code == 1009)
      try await scene.expectQuiet("as a message")
    }
    try await Self.withScene(["--limits-message-bytes", "16MiB"]) { scene in
      let client = try await ProtocolClient.connect(scene.obsd.url)
      client.patch(text: all)
      let error = try await client.failure("p")
      #expect(error.code == .tooLarge)
      #expect(error.message.contains("1000"), "\(error.message)")
      #expect(error.extensions["limit"] != nil)
      try await scene.expectQuiet("as a patch")
      let answer = try await Curl.patch(scene.obsd, all)
      #expect(answer.status == "413")
      #expect(answer.code == "too-large")
      try await scene.expectQuiet("over HTTP")
    }
  }

  @Test("scenario 63: a patch that fails at its thousandth operation changes nothing")
  func last() async throws {
    try await Self.withScene { scene in
      let client = try await ProtocolClient.connect(scene.obsd.url)
      for bad in ["/list/-1", "/list/00", "/list/1.5", "/list/8", "/n/0", "/no/such"] {
        let good: [JSON] = (0..<999).map {
          ["op": "replace", "path": "/n", "value": .int(Int64($0 + 2))]
        }
        let operations = JSON.array(good + [["op": "add", "path": .string(bad), "value": 0]])
        client.subscribe("p", "$patch", ["ops": operations])
        let error = try await client.failure("p")
        #expect(error.code == .patchFailed, "\(bad)")
        #expect(error.extensions["op"] == 999, "\(bad)")
        #expect(error.extensions["pointer"] == .string(bad))
        try await scene.expectQuiet(bad)
      }
    }
  }

  @Test("numbers out of range are refused with their pointer, by socket and by HTTP")
  func numbers() async throws {
    try await Self.withScene { scene in
      for number in ["1e400", "9223372036854775808", "-9223372036854775809"] {
        let ops = #"[{"op":"replace","path":"/n","value":{"a":[\#(number)]}}]"#
        let client = try await ProtocolClient.connect(scene.obsd.url)
        client.patch(text: ops)
        let close = try await client.ended()
        #expect(close.code == 4400)
        #expect(close.reason.contains("/payload/variables/ops/0/value/a/0"), "\(close.reason)")
        try await scene.expectQuiet("\(number) by socket")
        let answer = try await Curl.patch(scene.obsd, ops)
        #expect(answer.status == "400")
        #expect(answer.code == "number-range")
        #expect(
          try answer.json["errors"]?[0]?["extensions"]?["pointer"] == "/0/value/a/0",
          "\(answer.body)"
        )
        try await scene.expectQuiet("\(number) by HTTP")
      }
      // In a query it is an error with its place, and the connection lives.
      let client = try await ProtocolClient.connect(scene.obsd.url)
      client.watch("q", "n + `1e400`")
      let error = try await client.failure("q")
      #expect(error.code == .numberRange)
      #expect(error.extensions["offset"] == 5)
      client.watch("q", "n")
      #expect(try await client.value("q").data == 1)
    }
  }

  @Test("HTTP requests that make no sense get their status, and the server goes on")
  func http() async throws {
    try await Self.withScene(["--limits-message-bytes", "64KiB"]) { scene in
      let json = ["-H", "Content-Type: application/json"]
      let requests: [(String, [String], String, String, String)] = [
        ("bad percent-encoding", [], "/query?query=a%2", "400", "%"),
        ("a percent-encoded byte that is no text", [], "/query?query=%ff", "400", "UTF-8"),
        ("bad percent-encoding in a path", [], "/data/a%zz", "400", "%"),
        (
          "unknown media type", ["-d", "n", "-H", "Content-Type: text/plain"], "/query", "415",
          "application/json"
        ),
        (
          "unknown kind of patch", ["-X", "PATCH", "-d", "[]"] + json, "/data", "415",
          "application/json-patch+json"
        ),
        ("wrong method", ["-X", "PUT", "-d", "{}"] + json, "/query", "405", "GET"),
        ("wrong method on data", ["-X", "DELETE"], "/data/n", "405", "PATCH"),
        ("not JSON", ["-d", "{"] + json, "/query", "400", "JSON"),
        ("JSON of another shape", ["-d", "[]"] + json, "/query", "400", "object"),
        (
          "a body over the limit", ["-d", String(repeating: "x", count: 100_000)] + json, "/query",
          "413", "65536"
        ),
      ]
      for (name, arguments, target, status, word) in requests {
        let answer = try await Curl.ask(arguments + [scene.obsd.base + target])
        #expect(answer.status == status, "\(name)")
        #expect(answer.body.contains(word), "\(name): \(answer.body)")
        if status == "405" { #expect(answer.headers["allow"]?.contains(word) == true, "\(name)") }
        try await scene.expectQuiet(name)
      }
    }
  }
}
