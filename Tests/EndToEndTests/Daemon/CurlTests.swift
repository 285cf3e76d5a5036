import Foundation
import ObsTestSupport
import ObsWire
import Testing

/// The daemon's HTTP as it is used from a shell: PROTOCOL.md, section 9.
@Suite("curl asks obsd", .timeLimit(.minutes(5)), .needs("curl"))
struct CurlTests {
  private static let openCount = "query=length(values(issues)[?state == 'open'])"
  private static let jsonPatch = "Content-Type: application/json-patch+json"
  private static let mergePatch = "Content-Type: application/merge-patch+json"

  /// The next server-sent event by its fields; nil at the end.
  ///
  /// Comments, which keep proxies awake, are passed over.
  private static func event(_ curl: Program) async throws -> [String: String]? {
    var fields: [String: String] = [:]
    while let line = await curl.lines.next() {
      if line.hasPrefix(":") || line.isEmpty && fields.isEmpty { continue }
      if line.isEmpty { return fields }
      let field = try #require(line.firstRange(of: ": "), "\(line)")
      fields[String(line[..<field.lowerBound])] = String(line[field.upperBound...])
    }
    #expect(fields == [:])
    return nil
  }

  @Test("curl -N gets the first value, then each change, with event and id; the drain ends it")
  func events() async throws {
    try await Obsd.with(document: ObsCtl.issues) { obsd in
      let socket = try await ProtocolClient.connect(obsd.url, initialize: false)
      socket.send(.connectionInit(payload: [:]))
      guard case .connectionAck(let greeting) = try await socket.next() else {
        Issue.record("no greeting")
        return
      }
      let epoch = try #require(greeting["epoch"]?.stringValue)

      let arguments = ["-sSN", "-G", obsd.base + "/query", "--data-urlencode", Self.openCount]
      let line = arguments + ["-H", "Accept: text/event-stream"]
      try await withProgram(try Tools.path("curl"), line) { curl in
        func value(_ rev: Int64?, seq: JSON) async throws -> JSON? {
          let event = try #require(try await Self.event(curl))
          #expect(event["event"] == "next")
          #expect(event.count == 3)
          let payload = try JSON(parsing: try #require(event["data"]))
          let shown = try #require(payload["extensions"]?["rev"]?.intValue)
          #expect(event["id"] == "\(epoch):\(shown)")
          if let rev { #expect(shown == rev) }
          #expect(payload["extensions"]?["seq"] == seq)
          return payload["data"]
        }
        #expect(try await value(nil, seq: 0) == 2)
        // A change of what it does not read is no event: the next one is that of the third commit.
        _ = try await socket.patch([["op": "replace", "path": "/issues/i01/title", "value": "x"]])
        _ = try await socket.patch([["op": "add", "path": "/other", "value": 1]])
        let answer = try await Curl.ask(
          "-X",
          "PATCH",
          obsd.base + "/data/issues/i01",
          "-H",
          Self.mergePatch,
          "-d",
          #"{"state": "closed"}"#
        )
        let rev = try #require(try answer.json["rev"]?.intValue)
        #expect(try await value(rev, seq: 3) == 1)
        obsd.program.send(SIGTERM)
        #expect(try await Self.event(curl) == ["event": "complete", "data": "{}"])
        #expect(try await Self.event(curl) == nil)
        #expect(await curl.exitCode() == 0)
      }
    }
  }

  @Test("a query that cannot be one is an event with its place and status 200, then the end")
  func eventError() async throws {
    try await Obsd.with(document: ObsCtl.issues) { obsd in
      let answer = try await Curl.ask(
        "-N",
        "-G",
        obsd.base + "/query",
        "-H",
        "Accept: text/event-stream",
        "--data-urlencode",
        "query=length(issues"
      )
      #expect(answer.status == "200")
      #expect(answer.headers["content-type"] == "text/event-stream")
      #expect(answer.lines.first == "event: next")
      let payload = try JSON(parsing: String(answer.lines[1].dropFirst("data: ".count)))
      #expect(payload["data"]?.isNull == true)
      #expect(payload["errors"]?[0]?["extensions"]?["code"] == "syntax")
      #expect(payload["errors"]?[0]?["locations"] == [["line": 1, "column": 14]])
      #expect(answer.lines[2...] == ["", "event: complete", "data: {}", ""])
    }
  }

  @Test("GET /query with variables, its tag, 304; POST /query with text, commit and carrier")
  func query() async throws {
    try await Obsd.with(document: ObsCtl.issues) { obsd in
      func get(_ more: String...) async throws -> Curl.Answer {
        try await Curl.ask(
          "-G",
          obsd.base + "/query",
          "--data-urlencode",
          "query=length(values(issues)[?state == $s])",
          "--data-urlencode",
          #"variables={"s": "open"}"#,
          "-H",
          more.first ?? "X-Nothing: 1"
        )
      }
      let first = try await get()
      #expect(first.status == "200")
      #expect(first.headers["content-type"] == "application/json")
      #expect(try first.json["data"] == 2)
      #expect(try first.json["extensions"]?["seq"] == 0)
      let tag = try #require(first.headers["etag"])
      let same = try await get("If-None-Match: \(tag)")
      #expect(same.status == "304")
      #expect(same.body == "")

      func post(_ payload: JSON) async throws -> Curl.Answer {
        try await Curl.ask(
          obsd.base + "/query",
          "-H",
          "Content-Type: application/json",
          "-d",
          payload.description
        )
      }
      let votes = try await post(["query": "sum(values(issues)[*].votes)"])
      #expect(try votes.json["data"] == 44)
      let close: JSON = [["op": "replace", "path": "/issues/i01/state", "value": "closed"]]
      let commit = try await post(["operationName": "$patch", "variables": ["ops": close]])
      #expect(commit.status == "200")
      #expect(try commit.json["data"]?["seq"] == 1)
      let changed = try await get("If-None-Match: \(tag)")
      #expect(changed.status == "200")
      #expect(try changed.json["data"] == 1)
      let carrier = try await post([
        "query": "mutation M($ops: JSON!) { patch(ops: $ops) { seq } }",
        "variables": ["ops": [["op": "remove", "path": "/issues/i02"]]],
      ])
      #expect(try carrier.json["data"] == ["patch": ["seq": 2]])
      #expect(try await get().json["data"] == 0)
    }
  }

  @Test("GET and PATCH /data: both kinds of patch, ETag and If-Match, a key, and what is refused")
  func data() async throws {
    try await Obsd.with(document: ObsCtl.issues) { obsd in
      let place = obsd.base + "/data/issues/i01"
      func patch(_ type: String, _ body: String, _ more: String...) async throws -> Curl.Answer {
        try await Curl.ask(
          "-X",
          "PATCH",
          place,
          "-H",
          type,
          "-H",
          more.first ?? "X-Nothing: 1",
          "-d",
          body
        )
      }
      let record = try await Curl.ask(place)
      #expect(try record.json == ObsCtl.issues["issues"]?["i01"])
      let tag = try #require(record.headers["etag"])

      let merged = try await patch(Self.mergePatch, #"{"votes": 13}"#, "If-Match: \(tag)")
      #expect(merged.status == "200")
      #expect(try merged.json["seq"] == 1)
      let stale = try await patch(Self.mergePatch, #"{"votes": 99}"#, "If-Match: \(tag)")
      #expect(stale.status == "412")
      #expect(stale.code == "precondition-failed")
      let fresh = try await Curl.ask(place)
      #expect(try fresh.json["votes"] == 13)
      #expect(fresh.headers["etag"] != tag)

      // Pointers of a JSON Patch start at the place.
      let ops =
        #"[{"op":"test","path":"/votes","value":13},{"op":"add","path":"/tags","value":["a"]}]"#
      let current = try #require(fresh.headers["etag"])
      #expect(try await patch(Self.jsonPatch, ops, "If-Match: \(current)").status == "200")
      #expect(try await Curl.ask(place + "/tags/0").json == "a")
      let append = #"[{"op":"add","path":"/tags/-","value":"b"}]"#
      for _ in 1...2 {
        let answer = try await patch(Self.jsonPatch, append, "Idempotency-Key: once")
        #expect(try answer.json["seq"] == 3)
      }
      #expect(try await Curl.ask(place + "/tags").json == ["a", "b"])

      let conflict = try await patch(Self.jsonPatch, #"[{"op":"test","path":"/votes","value":1}]"#)
      #expect(conflict.status == "409")
      #expect(try conflict.json["errors"]?[0]?["extensions"]?["pointer"] == "/issues/i01/votes")
      #expect(
        try await patch(Self.jsonPatch, #"[{"op":"remove","path":"/no"}]"#).status == "422"
      )
      let nothing = try await Curl.ask(obsd.base + "/data/issues/i09")
      #expect(nothing.status == "404")
      #expect(nothing.code == "not-found")
    }
  }
}
