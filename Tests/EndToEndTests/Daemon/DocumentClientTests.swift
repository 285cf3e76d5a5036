import Foundation
import ObsTestSupport
import ObsWire
import Testing

/// Clients that nobody here wrote watch and change the document of the daemon, each for the other to see.
@Suite("Stock clients on obsd's document", .timeLimit(.minutes(5)))
struct DocumentClientTests {
  private static let client = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Clients/gql_document.py")

  private static func message(_ program: Program) async throws -> JSON {
    guard let line = await program.lines.next() else {
      Issue.record("the client ended: \(await program.complaints.rest())")
      return .null
    }
    return try JSON(parsing: line)
  }

  /// What a message of websocat says, without what differs from run to run.
  private static func value(_ websocat: Program) async throws -> [JSON] {
    let message = try await message(websocat)
    let payload = message["payload"]
    return [
      message["id"] ?? .null, payload?["data"] ?? payload?[0]?["extensions"]?["code"] ?? .null,
    ]
  }

  private static func subscribe(_ id: String, _ payload: JSON) -> String {
    JSON.object(["id": .string(id), "type": "subscribe", "payload": payload]).description
  }

  private static func patch(_ id: String, _ operations: JSON) -> String {
    subscribe(id, ["query": "", "operationName": "$patch", "variables": ["ops": operations]])
  }

  @Test(
    "gql by carrier documents and websocat by raw texts: each hears of the other's commit",
    .needs("gql-cli", "websocat")
  )
  func both() async throws {
    let python = try Tools.path("gql-cli").deletingLastPathComponent().appending(path: "python3")
    let websocat = try Tools.path("websocat")
    try await Obsd.with(document: ObsCtl.issues) { obsd in
      // Without a subprotocol: the server speaks the only one it has.
      try await withProgram(websocat, [obsd.url]) { socket in
        try socket.write(#"{"type":"connection_init"}"#)
        #expect(try await Self.message(socket)["type"] == "connection_ack")
        let query = "values(issues)[?state == $s].id"
        try socket.write(
          Self.subscribe("w", ["query": .string(query), "variables": ["s": "open"]])
        )
        #expect(try await Self.value(socket) == ["w", ["i01", "i02"]])

        try await withProgram(python, [Self.client.path, obsd.url]) { gql in
          #expect(try await Self.message(gql) == ["value", ["open": 2]])
          // What websocat commits, it hears itself before the answer, and so does gql.
          let close: JSON = ["op": "replace", "path": "/issues/i01/state", "value": "closed"]
          try socket.write(Self.patch("p", [close]))
          #expect(try await Self.value(socket) == ["w", ["i02"]])
          let answer = try await Self.message(socket)
          #expect(answer["id"] == "p")
          #expect(answer["payload"]?["data"]?["seq"] == 1)
          #expect(try await Self.message(socket) == ["id": "p", "type": "complete"])
          #expect(try await Self.message(gql) == ["value", ["open": 1]])
          // Now gql commits.
          #expect(try await Self.message(gql) == ["answer", ["changed": ["seq": 2]]])
          #expect(try await Self.value(socket) == ["w", []])
          #expect(try await Self.message(gql) == ["value", ["open": 0]])
          // A commit that is refused is told to who sent it, and to nobody else.
          #expect(
            try await Self.message(gql) == ["error", ["conflict", 1, "/issues/i02/state"]]
          )
          try socket.write(Self.patch("q", [["op": "remove", "path": "/issues/i09"]]))
          #expect(try await Self.value(socket) == ["q", "patch-failed"])
          // A merge: nine more, in one commit and one value.
          let more = (1...9).map { ("n\($0)", ["id": .string("n\($0)"), "state": "open"] as JSON) }
          let merge: JSON = ["at": "/issues", "value": .object(JSON.Object(more))]
          try socket.write(
            Self.subscribe("m", ["query": "", "operationName": "$merge", "variables": merge])
          )
          #expect(try await Self.value(socket) == ["w", .array((1...9).map { .string("n\($0)") })])
          #expect(try await Self.message(socket)["payload"]?["data"]?["seq"] == 3)
          #expect(try await Self.message(gql) == ["value", ["open": 9]])
          #expect(await gql.exitCode() == 0)
        }
        socket.closeInput()
      }
    }
  }
}
