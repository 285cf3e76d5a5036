import ObsTestSupport
import ObsTransport
import Testing

/// The server as curl and Python see it, where the machine has them.
@Suite(.timeLimit(.minutes(5)))
struct HTTPClientTests {
  private func handler() -> RecordingHandler {
    RecordingHandler(onExchange: { exchange, request in
      guard request.path == "/events" else {
        return exchange.respond(
          .text(
            200,
            "\(request.method) \(request.path) \(request.parameter("query") ?? "-") \(request.body.count)"
          )
        )
      }
      exchange.beginStream(HTTPResponse(status: 200, contentType: "text/event-stream"))
      for index in 1...3 { exchange.write(Array("id: \(index)\ndata: x\n\n".utf8)) }
      exchange.end()
    })
  }
  private let events = "id: 1\ndata: x\n\nid: 2\ndata: x\n\nid: 3\ndata: x\n\n"

  private func withCurl(
    _ body: (String, @Sendable ([String]) async throws -> Tool.Result) async throws -> Void
  ) async throws {
    let curl = try #require(Tool.path("curl"))
    try await withTransportServer(handler: handler()) { it in
      try await body("http://127.0.0.1:\(it.port)") { arguments in
        try await Tool.run(curl, ["-s", "-S", "--max-time", "30"] + arguments)
      }
    }
  }

  @Test(
    "curl reads streams, with HTTP/1.1, HTTP/1.0 and its offer of HTTP/2",
    .enabled(if: Tool.path("curl") != nil, "needs curl")
  )
  func streams() async throws {
    try await withCurl { base, curl in
      for version in ["--http1.1", "--http1.0", "--http2"] {
        let result = try await curl(["-N", version, base + "/events"])
        #expect(result.status == 0, "\(version)")
        #expect(result.output == events, "\(version)")
      }
      let head = try await curl(["-I", base + "/events"])
      #expect(head.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test(
    "curl's queries, bodies, chunks and expectations arrive, also over one connection",
    .enabled(if: Tool.path("curl") != nil, "needs curl")
  )
  func requests() async throws {
    try await withCurl { base, curl in
      let query = "length(values(issues)[?state == 'open' && a|b; + %])"
      let get = try await curl(["-G", "--data-urlencode", "query=" + query, base + "/query"])
      #expect(get.output == "GET /query \(query) 0\n")
      for method in ["POST", "PATCH", "PUT", "DELETE", "OPTIONS"] {
        let two = try await curl(["-X", method, "-d", "{}", base + "/a", base + "/b"])
        #expect(two.output == "\(method) /a - 2\n\(method) /b - 2\n")
      }
      let chunked = try await curl([
        "-H", "Transfer-Encoding: chunked", "-d", String(repeating: "x", count: 70_000),
        base + "/c",
      ])
      #expect(chunked.output == "POST /c - 70000\n")
      let expecting = try await curl([
        "-H", "Expect: 100-continue", "--expect100-timeout", "20", "-d",
        String(repeating: "x", count: 100_000), base + "/e",
      ])
      #expect(expecting.output == "POST /e - 100000\n")
    }
  }

  @Test(
    "Python's urllib reads answers and streams",
    .enabled(if: Tool.path("python3") != nil, "needs python3")
  )
  func python() async throws {
    let python = try #require(Tool.path("python3"))
    try await withTransportServer(handler: handler()) { it in
      let script = """
        import sys, urllib.request as r
        base = "http://127.0.0.1:\(it.port)"
        for line in r.urlopen(base + "/events"): sys.stdout.buffer.write(line)
        sys.stdout.buffer.write(r.urlopen(base + "/p?query=a%20b", data=b"abc").read())
        """
      let result = try await Tool.run(python, ["-c", script])
      #expect(result.status == 0)
      #expect(result.output == events + "POST /p a b 3\n")
    }
  }
}
