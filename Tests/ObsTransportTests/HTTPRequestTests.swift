import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPRequestTests {
  /// Answers with what it got.
  private func mirror() -> RecordingHandler {
    RecordingHandler(onRequest: { request in
      .text(
        200,
        "\(request.method) \(request.rawPath) \(request.path) \(request.query) \(request.body.count) "
          + String(decoding: request.body.prefix(40), as: UTF8.self)
      )
    })
  }

  private func bytes(_ head: String, _ body: String = "") -> [UInt8] {
    Array((head + "\r\nHost: a\r\n\r\n" + body).utf8)
  }

  @Test(
    "Every method arrives with its body",
    arguments: ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]
  )
  func methods(_ method: String) async throws {
    try await withTransportServer(handler: mirror()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      // As the first of a connection, which the library parses, and as later ones, which it does not.
      for _ in 0..<3 {
        try await peer.send(
          raw: bytes("\(method) /a%2F?q=%41 HTTP/1.1\r\nContent-Length: 4", "body")
        )
        #expect(try await peer.response().body == "\(method) /a%2F /a/ q=%41 4 body\n")
        try await peer.send(raw: bytes("\(method) /b HTTP/1.1"))
        #expect(try await peer.response().body == "\(method) /b /b  0 \n")
      }
    }
  }

  @Test("HEAD gets the headers alone, and the next answer follows")
  func head() async throws {
    try await withTransportServer(handler: mirror()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      for _ in 0..<3 {
        try await peer.send(raw: bytes("HEAD /abc HTTP/1.1"))
        let response = try await peer.response(toHEAD: true)
        #expect(response.status == 200)
        #expect(response.headers["content-length"] == "\("HEAD /abc /abc  0 \n".utf8.count)")
      }
      try await peer.send(raw: bytes("GET /b HTTP/1.1"))
      #expect(try await peer.response().body == "GET /b /b  0 \n")
    }
  }

  @Test("The target reaches the handler exactly as it was sent")
  func target() async throws {
    try await withTransportServer(handler: mirror()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      for _ in 0..<2 {
        try await peer.send(raw: bytes("GET /d//a%2Fb/../.x;y&z+%2B?a=b;c%26&d+e HTTP/1.1"))
        #expect(
          try await peer.response().body
            == "GET /d//a%2Fb/../.x;y&z+%2B /d//a/b/../.x;y&z++ a=b;c%26&d+e 0 \n"
        )
      }
    }
  }

  @Test(
    "Requests are one and the same wherever their bytes are split",
    arguments: [false, true]
  )
  func splits(isLater: Bool) async throws {
    try await withTransportServer(handler: mirror()) { it in
      let text = bytes("POST /s HTTP/1.1\r\nContent-Length: 11", "hello world")
      for split in 1..<text.count {
        let peer = try await RawPeer.connect(port: it.port)
        if isLater {
          try await peer.send(raw: bytes("GET /b HTTP/1.1"))
          _ = try await peer.response()
        }
        try await peer.send(raw: Array(text[..<split]))
        // The loop has seen the first part when it has answered another.
        _ = await it.onLoop { $0.socketCount }
        try await peer.send(raw: Array(text[split...]))
        #expect(try await peer.response().body == "POST /s /s  11 hello world\n")
      }
    }
  }

  @Test("Requests that were sent ahead are answered in order")
  func pipelined() async throws {
    try await withTransportServer(handler: mirror()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      var all: [UInt8] = []
      for index in 0..<50 {
        all += bytes("POST /\(index) HTTP/1.1\r\nContent-Length: 3", "abc")
        all += bytes("PUT /\(index) HTTP/1.1\r\nTransfer-Encoding: chunked", "2\r\nde\r\n0\r\n\r\n")
      }
      try await peer.send(raw: all)
      for index in 0..<50 {
        #expect(try await peer.response().body == "POST /\(index) /\(index)  3 abc\n")
        #expect(try await peer.response().body == "PUT /\(index) /\(index)  2 de\n")
      }
    }
  }

  @Test(
    "A body at the limit passes, one byte more is 413 with the limit",
    arguments: [false, true]
  )
  func limit(chunked: Bool) async throws {
    var options = ListenOptions()
    options.maximumBodyBytes = 10_000
    try await withTransportServer(options, handler: mirror()) { it in
      for (size, status) in [(10_000, 200), (10_001, 413)] {
        let peer = try await RawPeer.connect(port: it.port)
        let body = String(repeating: "x", count: size)
        if chunked {
          let chunks =
            "1\r\nx\r\n" + String(size - 1, radix: 16) + "\r\n" + body.dropFirst() + "\r\n0\r\n\r\n"
          try await peer.send(raw: bytes("POST / HTTP/1.1\r\nTransfer-Encoding: chunked", chunks))
        } else {
          try await peer.send(raw: bytes("POST / HTTP/1.1\r\nContent-Length: \(size)", body))
        }
        let response = try await peer.response()
        #expect(response.status == status)
        guard status == 413 else { continue }
        #expect(response.body == "a body has at most 10000 bytes\n")
        #expect(response.headers["connection"] == "close")
        #expect(try await peer.readToEnd() == 0)
      }
    }
  }

  @Test("An announced body over the limit is refused before it comes, and its sender reads that")
  func announced() async throws {
    try await withTransportServer(handler: mirror()) { it in
      for length in ["262145", "99999999999999999999999999999999999999"] {
        let peer = try await RawPeer.connect(port: it.port)
        try await peer.send(raw: bytes("POST / HTTP/1.1\r\nContent-Length: \(length)"))
        #expect(try await peer.response().status == 413)
      }
      // Who sends on does not get a reset over the answer.
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: bytes("POST / HTTP/1.1\r\nContent-Length: 3000000"))
      try await peer.send(raw: Array(repeating: 0x78, count: 3_000_000))
      #expect(try await peer.response().body == "a body has at most 262144 bytes\n")
    }
  }

  @Test("Who asks whether to go on is told so, or why not")
  func expectContinue() async throws {
    try await withTransportServer(handler: mirror()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      for _ in 0..<2 {
        try await peer.send(
          raw: bytes("POST /c HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2")
        )
        #expect(try await peer.response().status == 100)
        try await peer.send(raw: Array("ok".utf8))
        #expect(try await peer.response().body == "POST /c /c  2 ok\n")
      }
      try await peer.send(
        raw: bytes("POST /c HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 999999")
      )
      #expect(try await peer.response().status == 413)
    }
  }

  @Test(
    "What is no proper request is told so, first or later, and the connection ends",
    arguments: [
      ("GET /%zz HTTP/1.1", 400), ("GET /a?b=%f HTTP/1.1", 400), ("GET a HTTP/1.1", 400),
      ("GET /a b HTTP/1.1", 400), ("BREW / HTTP/1.1", 501), ("GET / HTTP/3.0", 505),
      ("POST / HTTP/1.1\r\nContent-Length: -5", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked", 400),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip", 501),
      ("POST / HTTP/1.1\r\nExpect: 200-ok", 417), ("PRI * HTTP/2.0", 505),
    ]
  )
  func refused(head: String, status: Int) async throws {
    try await withTransportServer(handler: mirror()) { it in
      for isLater in [false, true] {
        let peer = try await RawPeer.connect(port: it.port)
        if isLater {
          try await peer.send(raw: bytes("GET /b HTTP/1.1"))
          _ = try await peer.response()
        }
        try await peer.send(raw: bytes(head))
        let response = try await peer.response()
        #expect(response.status == status)
        #expect(response.headers["connection"] == "close")
        #expect(try await peer.readToEnd() == 0)
      }
    }
  }

  @Test("A head of more than 8 KiB on a used connection is 431")
  func largeHead() async throws {
    try await withTransportServer(handler: mirror()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: bytes("GET /b HTTP/1.1"))
      _ = try await peer.response()
      try await peer.send(
        raw: bytes("GET /b HTTP/1.1\r\nX: " + String(repeating: "x", count: 8192))
      )
      #expect(try await peer.response().status == 431)
    }
  }

  @Test("Slow heads and slow bodies end at their time")
  func slow() async throws {
    var options = ListenOptions()
    options.handshakeTimeout = .milliseconds(200)
    options.bodyTimeout = .milliseconds(200)
    try await withTransportServer(options, handler: mirror()) { it in
      let head = try await RawPeer.connect(port: it.port)
      try await head.send(raw: Array("GET / HTTP/1.1\r\nHo".utf8))
      #expect(try await head.readToEnd() == 0)
      let idle = try await RawPeer.connect(port: it.port)
      try await idle.send(raw: bytes("GET /b HTTP/1.1"))
      _ = try await idle.response()
      #expect(try await idle.readToEnd() == 0)
      let body = try await RawPeer.connect(port: it.port)
      try await body.send(raw: bytes("POST / HTTP/1.1\r\nContent-Length: 9", "half"))
      #expect(try await body.response().status == 408)
      #expect(try await body.readToEnd() == 0)
    }
  }
}
