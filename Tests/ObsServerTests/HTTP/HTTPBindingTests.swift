import Foundation
import ObsServer
import ObsTestSupport
import Testing

/// HTTP over a raw socket: what is sent and what comes, byte by byte.
struct WebClient {
  let peer: RawPeer

  init(_ url: String) async throws {
    let port = try #require(URL(string: url)?.port)
    peer = try await RawPeer.connect(port: UInt16(port))
  }

  func ask(
    _ method: String,
    _ target: String,
    _ headers: [String: String] = [:],
    _ body: String = ""
  ) async throws -> RawPeer.Response {
    try await send(method, target, headers, body)
    return try await peer.response(toHEAD: method == "HEAD")
  }

  func send(
    _ method: String,
    _ target: String,
    _ headers: [String: String] = [:],
    _ body: String = ""
  ) async throws {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
    try await peer.send(raw: Array((head + "\r\n" + body).utf8))
  }

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

extension RawPeer.Response {
  var json: JSON { get throws { try JSON(parsing: body) } }
}

@Suite("Queries and commits over HTTP", .timeLimit(.minutes(5)))
struct HTTPBindingTests {
  @Test("GET /query answers once, with a tag that makes the next answer short")
  func get() async throws {
    try await withDocument(issues) { _, _, _, url in
      let client = try await WebClient(url)
      let query = WebClient.encoded("length(values(issues)[?state == $s])")
      let variables = WebClient.encoded(#"{"s":"open"}"#)
      let target = "/query?query=\(query)&variables=\(variables)"
      let first = try await client.ask("GET", target)
      #expect(first.status == 200)
      #expect(first.headers["content-type"] == "application/json")
      #expect(try first.json["data"] == 2)
      #expect(try first.json["extensions"]?["seq"] == 0)
      let tag = try #require(first.headers["etag"])
      #expect(tag.utf8.count == 24)
      #expect(try await client.ask("GET", target, ["If-None-Match": tag]).status == 304)
      let head = try await client.ask("HEAD", target)
      #expect(head.status == 200)
      #expect(head.headers["etag"] == tag)
    }
  }

  @Test("POST /query takes what subscribe takes: text, operations, carriers, commits")
  func post() async throws {
    let board = Board()
    try await withDocument(issues) { server, document, _, url in
      try await server.registerBoard(board)
      let client = try await WebClient(url)
      let type = ["Content-Type": "application/json"]
      func post(_ body: String) async throws -> JSON {
        let response = try await client.ask("POST", "/query", type, body)
        #expect(response.status == 200, "\(response.body)")
        return try response.json["data"] ?? .null
      }
      #expect(try await post(#"{"query":"length(issues)"}"#) == 3)
      #expect(try await post(#"{"operationName":"add","variables":{"title":"x"}}"#) == 1)
      #expect(
        try await post(#"{"query":"query { openCount q: query(query: \"length(issues)\") }"}"#)
          == ["openCount": 1, "q": 3]
      )
      let patch =
        #"{"query":"mutation($ops: JSON!) { patch(ops: $ops) { seq } }","variables":"#
        + #"{"ops":[{"op":"remove","path":"/issues/i03"}]}}"#
      #expect(try await post(patch) == ["patch": ["seq": 1]])
      #expect(await document.json["issues"]?["i03"] == nil)
      // The same key is the same commit.
      let keyed = type.merging(["Idempotency-Key": "k"]) { $1 }
      let append =
        #"{"operationName":"$patch","variables":{"ops":[{"op":"add","path":"/issues/n","value":{}}]}}"#
      let one = try await client.ask("POST", "/query", keyed, append)
      let two = try await client.ask("POST", "/query", keyed, append)
      #expect(try one.json["data"]?["seq"] == 2)
      #expect(try two.json["data"]?["seq"] == 2)
    }
  }

  @Test("GET /data/… is the subtree, and PATCH changes it if it still is what it was")
  func data() async throws {
    try await withDocument(["a": ["b/c": [1, 2], "n": 1]]) { _, document, _, url in
      let client = try await WebClient(url)
      #expect(try await client.ask("GET", "/data/a/b~1c/1").json == 2)
      #expect(try await client.ask("GET", "/data/a/b~1c").json == [1, 2])
      #expect(try await client.ask("GET", "/data").json["a"]?["n"] == 1)
      #expect(try await client.ask("GET", "/data/x").status == 404)
      let tag = try #require(try await client.ask("GET", "/data/a").headers["etag"])
      let merge = ["Content-Type": "application/merge-patch+json", "If-Match": tag]
      let applied = try await client.ask("PATCH", "/data/a", merge, #"{"n":2}"#)
      #expect(applied.status == 200)
      #expect(try applied.json["seq"] == 1)
      #expect(try applied.json["rev"]?.intValue != nil)
      #expect(try await client.ask("PATCH", "/data/a", merge, #"{"n":3}"#).status == 412)
      #expect(await document.json["a"]?["n"] == 2)
      let patch = ["Content-Type": "application/json-patch+json"]
      let ops = #"[{"op":"test","path":"/n","value":2},{"op":"add","path":"/b~1c/-","value":3}]"#
      #expect(try await client.ask("PATCH", "/data/a", patch, ops).status == 200)
      #expect(await document.json["a"]?["b/c"] == [1, 2, 3])
      let conflict = try await client.ask(
        "PATCH",
        "/data/a",
        patch,
        #"[{"op":"test","path":"/n","value":7}]"#
      )
      #expect(conflict.status == 409)
      #expect(try conflict.json["errors"]?[0]?["extensions"]?["pointer"] == "/a/n")
      #expect(
        try await client.ask("PATCH", "/data/a", patch, #"[{"op":"remove","path":"/q"}]"#).status
          == 422
      )
    }
  }

  @Test(
    "what cannot be taken is refused with its status, and said",
    arguments: [
      ("GET", "/query?query=a%2", [:], "", 400), ("GET", "/query?query=length(", [:], "", 400),
      ("GET", "/query?query=a&variables=%7B", [:], "", 400),
      ("PUT", "/query", [:], "", 405), ("DELETE", "/data/a", [:], "", 405),
      ("POST", "/query", ["Content-Type": "text/plain"], "a", 415),
      ("POST", "/query", ["Content-Type": "application/json"], "{", 400),
      ("POST", "/query", ["Content-Type": "application/json"], #"{"query":1}"#, 400),
      ("PATCH", "/data", ["Content-Type": "application/json"], "[]", 415),
      ("PATCH", "/data", ["Content-Type": "application/json-patch+json"], "{}", 422),
      (
        "PATCH", "/data", ["Content-Type": "application/json-patch+json"],
        #"[{"op":"replace","path":"","value":1}]"#, 403
      ),
      ("GET", "/query?query=a", ["Origin": "https://evil.example"], "", 403),
      (
        "GET", "/query?operationName=%24patch&variables=%7B%22ops%22%3A%5B%5D%7D", [:], "", 403
      ), ("GET", "/query?operationName=nothing", [:], "", 404),
    ] as [(String, String, [String: String], String, Int)]
  )
  func refused(
    _ method: String,
    _ target: String,
    _ headers: [String: String],
    _ body: String,
    _ status: Int
  ) async throws {
    try await withDocument(["a": 1]) { _, document, _, url in
      let response = try await WebClient(url).ask(method, target, headers, body)
      #expect(response.status == status, "\(response.body)")
      #expect(response.body.isEmpty == false)
      #expect(await document.json == ["a": 1])
      #expect(try await WebClient(url).ask("GET", "/query?query=a").json["data"] == 1)
    }
  }

  @Test("a body over the limit is 413 with the limit")
  func tooLarge() async throws {
    try await withDocument(["a": 1]) { _, _, _, url in
      let client = try await WebClient(url)
      let body = "[" + String(repeating: " ", count: 300_000) + "]"
      let response = try await client.ask(
        "PATCH",
        "/data",
        ["Content-Type": "application/json-patch+json"],
        body
      )
      #expect(response.status == 413)
      #expect(response.body.contains("262144"))
    }
  }

  @Test("text/event-stream sends a value per change, and leaves nothing behind")
  func events() async throws {
    try await withDocument(issues) { server, _, client, url in
      let web = try await WebClient(url)
      let query = WebClient.encoded("length(values(issues)[?state=='open'])")
      try await web.send("GET", "/query?query=\(query)", ["Accept": "text/event-stream"])
      #expect(try await web.peer.line()?.contains("200") == true)
      while let line = try await web.peer.line(), !line.isEmpty {}
      func event() async throws -> (id: String, data: JSON) {
        var text = ""
        while !text.hasSuffix("\n\n") { text += try #require(try await web.peer.chunk()) }
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "event: next")
        return (
          String(lines[1].dropFirst(4)), try JSON(parsing: String(lines[2].dropFirst(6)))
        )
      }
      let first = try await event()
      #expect(first.data["data"] == 2)
      #expect(first.id == "\(server.epoch):\(first.data["extensions"]?["rev"]?.intValue ?? -1)")
      try await client.patch([["op": "replace", "path": "/issues/i01/title", "value": "x"]])
      try await client.patch([["op": "replace", "path": "/issues/i01/state", "value": "closed"]])
      #expect(try await event().data["data"] == 1)
      #expect(await server.statistics().liveQueries == 1)
      web.peer.close()
      while await server.statistics().liveQueries != 0 { await Task.yield() }
    }
  }

  @Test("an error of the text is one event with status 200, then the end")
  func eventError() async throws {
    try await withDocument(issues) { _, _, _, url in
      let web = try await WebClient(url)
      try await web.send("GET", "/query?query=length(", ["Accept": "text/event-stream"])
      #expect(try await web.peer.line()?.contains("200") == true)
      while let line = try await web.peer.line(), !line.isEmpty {}
      var text = ""
      while let chunk = try await web.peer.chunk(), !chunk.isEmpty { text += chunk }
      #expect(text.contains(#""code":"syntax""#))
      #expect(text.hasSuffix("event: complete\ndata: {}\n\n"))
    }
  }

  @Test("authenticate decides over HTTP, too")
  func authenticate() async throws {
    struct Refused: Error {}
    let configuration = ServerConfiguration.testing {
      $0.authenticate = { request in
        guard request.authorization == "Bearer kim" || request.payload["token"] == "kim" else {
          throw Refused()
        }
        return Identity(user: "kim")
      }
    }
    let document = try await Document(["a": 1])
    try await withServer(configuration) { server, url in
      try await server.host(document)
      let client = try await WebClient(url)
      #expect(try await client.ask("GET", "/query?query=a").status == 401)
      let allowed = ["Authorization": "Bearer kim"]
      #expect(try await client.ask("GET", "/query?query=a", allowed).json["data"] == 1)
    }
  }

  @Test("schema.graphql lists the built-in fields and the registered operations")
  func schema() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let schema = try await WebClient(url).ask("GET", "/schema.graphql").body
      for line in [
        "watch(query: String!, variables: JSON): JSON", "newest(limit: Int!): JSON",
        "patch(ops: JSON!, ifSeq: Int, key: String): Commit", "add(title: String!): JSON",
      ] {
        #expect(schema.contains(line), "\(line)")
      }
    }
  }
}
