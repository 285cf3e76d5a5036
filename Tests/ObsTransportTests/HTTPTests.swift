import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPTests {
  private func handler() -> RecordingHandler {
    RecordingHandler(onRequest: { request in
      switch request.path {
      case "/healthz": .text(200, "ok")
      case "/large":
        HTTPResponse(status: 200, body: Array(repeating: 0x78, count: 3_000_000))
      case "/describe":
        .text(
          200,
          "\(request.method) \(request.query) \(request.headers["accept"] ?? "-") "
            + "\(request.headers["x-request-id"] ?? "-") \(request.remoteAddress ?? "-") "
            + String(decoding: request.body, as: UTF8.self),
          headers: [("ETag", "\"1\""), ("X-Bad", "a\r\nInjected: b")]
        )
      default: nil
      }
    })
  }

  private func request(
    _ peer: RawPeer,
    _ head: String,
    _ body: String = ""
  ) async throws -> RawPeer.Response {
    try await peer.send(raw: Array((head + "\r\nHost: a\r\n\r\n" + body).utf8))
    return try await peer.response(toHEAD: head.hasPrefix("HEAD"))
  }

  @Test("Requests are answered one after the other on one connection")
  func keepAlive() async throws {
    try await withTransportServer(handler: handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      for _ in 0..<3 {
        let response = try await request(peer, "GET /healthz HTTP/1.1")
        #expect(response.status == 200)
        #expect(response.body == "ok\n")
      }
      let head = try await request(peer, "HEAD /healthz HTTP/1.1")
      #expect(head.status == 200)
      #expect(head.headers["content-length"] == "3")
      #expect(head.body == "")
      let missing = try await request(peer, "GET /nowhere HTTP/1.1")
      #expect(missing.status == 404)
      #expect(it.server.counters.httpRequests == 5)
    }
  }

  @Test("Method, query, headers and body reach the handler")
  func details() async throws {
    try await withTransportServer(handler: handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      let response = try await request(
        peer,
        "POST /describe?a=1&b=%20x HTTP/1.1\r\nAccept: x/y\r\nX-Request-Id: 7\r\nContent-Length: 4",
        "body"
      )
      #expect(response.status == 200)
      #expect(response.body == "POST a=1&b=%20x x/y 7 127.0.0.1 body\n")
      #expect(response.headers["etag"] == "\"1\"")
      #expect(response.headers["injected"] == nil)
      let patch = try await request(peer, "PATCH /describe HTTP/1.1\r\nContent-Length: 2", "{}")
      #expect(patch.body.hasPrefix("PATCH"))
    }
  }

  @Test("A large response arrives whole")
  func large() async throws {
    try await withTransportServer(handler: handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      let response = try await request(peer, "GET /large HTTP/1.1")
      #expect(response.body.utf8.count == 3_000_000)
      // And the connection goes on.
      #expect(try await request(peer, "GET /healthz HTTP/1.1").status == 200)
    }
  }

  @Test("Connection: close and HTTP/1.0 end the connection after the answer")
  func closing() async throws {
    try await withTransportServer(handler: handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      let response = try await request(peer, "GET /healthz HTTP/1.1\r\nConnection: close")
      #expect(response.status == 200)
      #expect(response.headers["connection"] == "close")
      #expect(try await peer.readToEnd() == 0)
      let old = try await RawPeer.connect(port: it.port)
      #expect(try await request(old, "GET /healthz HTTP/1.0").status == 200)
      #expect(try await old.readToEnd() == 0)
    }
  }

  @Test("CONNECT does not make a tunnel")
  func connect() async throws {
    try await withTransportServer(handler: handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: Array("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      _ = try await peer.readToEnd()
      let other = try await RawPeer.connect(port: it.port)
      #expect(try await request(other, "GET /healthz HTTP/1.1").status == 200)
      // And a connection that has talked HTTP may become a WebSocket.
      #expect(try await other.handshake().status == 101)
    }
  }

  @Test("Headers without end are cut, and nobody else notices")
  func endlessHeaders() async throws {
    try await withTransportServer(handler: handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      let line = "X-Padding: " + String(repeating: "x", count: 1000) + "\r\n"
      try? await peer.send(
        raw: Array(("GET /healthz HTTP/1.1\r\n" + String(repeating: line, count: 100)).utf8)
      )
      _ = try await peer.readToEnd()
      let other = try await RawPeer.connect(port: it.port)
      #expect(try await request(other, "GET /healthz HTTP/1.1").status == 200)
    }
  }
}
