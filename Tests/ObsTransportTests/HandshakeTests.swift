import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HandshakeTests {
  @Test("A client that offers the subprotocol gets it, alone or among several, first or last")
  func subprotocolOffered() async throws {
    try await withTransportServer { it in
      for list in [
        "graphql-transport-ws", "graphql-ws, graphql-transport-ws", "graphql-transport-ws, x",
      ] {
        let peer = try await RawPeer.connect(port: it.port)
        let response = try await peer.handshake(subprotocol: list)
        #expect(response.status == 101)
        #expect(response.headers["sec-websocket-protocol"] == "graphql-transport-ws")
        #expect(response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(response.headers["sec-websocket-extensions"] == nil)
        let (_, request) = try #require(await it.handler.nextOpened())
        #expect(request.subprotocol == "graphql-transport-ws")
        #expect(request.path == "/ws")
        #expect(request.remoteAddress == "127.0.0.1")
      }
    }
  }

  @Test("A client that offers none is accepted and spoken to")
  func noSubprotocol() async throws {
    try await withTransportServer(handler: .echo()) { it in
      let peer = try await RawPeer.open(port: it.port, subprotocol: nil)
      try await peer.send("hello")
      #expect(try await peer.nextMessage() == "hello")
    }
  }

  @Test("Headers and the query reach the handler")
  func request() async throws {
    try await withTransportServer { it in
      _ = try await RawPeer.open(
        port: it.port,
        path: "/ws?token=a%26b&c=d",
        headers: [
          ("Authorization", "Bearer t"), ("Cookie", "k=v"), ("User-Agent", "raw"),
          ("X-Forwarded-For", "10.0.0.1"), ("Origin", "http://127.0.0.1:\(it.port)"),
        ]
      )
      let (_, request) = try #require(await it.handler.nextOpened())
      #expect(request.query == "token=a%26b&c=d")
      #expect(request.authorization == "Bearer t")
      #expect(request.cookie == "k=v")
      #expect(request.userAgent == "raw")
      #expect(request.forwardedFor == "10.0.0.1")
      #expect(request.host == "127.0.0.1:\(it.port)")
      #expect(request.origin == "http://127.0.0.1:\(it.port)")
    }
  }

  @Test("Handshakes that break a rule are answered before the upgrade, and the connection ends")
  func refusals() async throws {
    try await withTransportServer { it in
      func refusal(
        path: String = "/ws",
        subprotocol: String? = nil,
        _ headers: [(String, String)] = []
      ) async throws -> RawPeer.Response {
        let peer = try await RawPeer.connect(port: it.port)
        let response = try await peer.handshake(
          path: path,
          subprotocol: subprotocol,
          headers: headers
        )
        #expect(response.headers["connection"]?.lowercased().contains("close") == true)
        #expect(try await peer.nextFrame() == nil)
        return response
      }
      #expect(try await refusal(path: "/elsewhere").status == 404)
      let subprotocol = try await refusal(subprotocol: "graphql-ws")
      #expect(subprotocol.status == 400)
      #expect(subprotocol.body.contains("graphql-transport-ws"))
      let long = (0..<20).map { "protocol-number-\($0)" }.joined(separator: ",")
      #expect(try await refusal(subprotocol: long).status == 400)
      #expect(try await refusal([("Origin", "https://evil.example.org")]).status == 403)
      #expect(try await refusal([("Origin", "null")]).status == 403)
      #expect(try await refusal([("Sec-WebSocket-Key", "")]).status == 400)
      #expect(try await refusal([("Connection", "keep-alive")]).status == 400)
      let version = try await refusal([("Sec-WebSocket-Version", "7")])
      #expect(version.status == 426)
      #expect(version.headers["sec-websocket-version"] == "13")
      // Others notice nothing.
      _ = try await RawPeer.open(port: it.port)
      _ = try #require(await it.handler.nextOpened())
      let refused = it.server.counters.refused
      #expect(refused[.path] == 1)
      #expect(refused[.subprotocol] == 2)
      #expect(refused[.origin] == 2)
      #expect(refused[.handshake] == 3)
    }
  }

  @Test("Origins that are listed may connect")
  func allowedOrigin() async throws {
    var options = ListenOptions()
    options.allowedOrigins = ["https://app.example.org"]
    try await withTransportServer(options) { it in
      _ = try await RawPeer.open(port: it.port, headers: [("Origin", "https://app.example.org")])
    }
  }

  @Test("An upgrade to h2c is not taken: the request is answered as the plain HTTP that it is")
  func h2c() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.connect(port: it.port)
      let response = try await peer.handshake(headers: [
        ("Upgrade", "h2c"), ("Connection", "Upgrade, HTTP2-Settings"),
        ("HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA"),
      ])
      #expect(response.status == 426)
      // And it stays plain HTTP.
      try await peer.send(raw: Array("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await peer.response().status == 404)
    }
  }

  @Test("A connection that has spoken plain HTTP may still be upgraded, as proxies do it")
  func reused() async throws {
    try await withTransportServer(handler: .echo()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      for _ in 0..<2 {
        try await peer.send(raw: Array("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(try await peer.response().status == 404)
      }
      #expect(try await peer.handshake().status == 101)
      for text in ["a", String(repeating: "x", count: 100_000)] {
        try await peer.send(text)
        #expect(try await peer.nextMessage() == text)
      }
      #expect(await it.onLoop { $0.socketCount } == 1)
      try await peer.sendClose(1000)
      #expect(try await peer.nextFrame()?.closeCode == 1000)
      // A refused one is answered as ever.
      let refused = try await RawPeer.connect(port: it.port)
      try await refused.send(raw: Array("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await refused.response().status == 404)
      #expect(
        try await refused.handshake(headers: [("Origin", "http://elsewhere.example")]).status == 403
      )
    }
  }

  @Test("An upgrade to something unknown is refused")
  func unknownUpgrade() async throws {
    try await withTransportServer { it in
      for _ in 0..<20 {
        let peer = try await RawPeer.connect(port: it.port)
        let response = try await peer.handshake(headers: [("Upgrade", "irc/6.9")])
        #expect(response.status == 403)
        #expect(try await peer.nextFrame() == nil)
      }
      _ = try await RawPeer.open(port: it.port)
    }
  }

  @Test("Plain HTTP on the WebSocket path is told what is there")
  func plainHTTP() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: Array("GET /ws HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      let response = try await peer.response()
      #expect(response.status == 426)
      #expect(response.headers["upgrade"] == "websocket")
      #expect(response.body.contains("WebSocket"))
    }
  }

  @Test("Half a handshake and then silence ends at the handshake timeout")
  func halfHandshake() async throws {
    var options = ListenOptions()
    options.handshakeTimeout = .milliseconds(300)
    try await withTransportServer(options) { it in
      let silent = try await RawPeer.connect(port: it.port)
      let half = try await RawPeer.connect(port: it.port)
      try await half.send(raw: Array("GET /ws HTTP/1.1\r\nHost: a\r\nUpgr".utf8))
      let idle = try await RawPeer.connect(port: it.port)
      try await idle.send(raw: Array("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await idle.response().status == 404)
      let open = try await RawPeer.open(port: it.port)
      #expect(try await silent.readToEnd() == 0)
      #expect(try await half.readToEnd() == 0)
      #expect(try await idle.readToEnd() == 0)
      #expect(it.server.counters.refused[.timeout] ?? 0 >= 2)
      // An open connection is not concerned.
      try await open.sendClose(1000)
      #expect(try await open.nextClose()?.closeCode == 1000)
    }
  }

  @Test("A connection over the limit is told to come back, and may when there is room")
  func connectionLimit() async throws {
    var options = ListenOptions()
    options.maximumConnections = 2
    try await withTransportServer(options) { it in
      let first = try await RawPeer.open(port: it.port)
      let second = try await RawPeer.open(port: it.port)
      let third = try await RawPeer.connect(port: it.port)
      let response = try await third.handshake()
      #expect(response.status == 503)
      #expect(response.headers["retry-after"] == "5")
      first.close()
      _ = try #require(await it.handler.nextClosed())
      _ = try await RawPeer.open(port: it.port)
      second.close()
    }
  }

  @Test("Far over the limit, connections are refused without a handshake")
  func socketLimit() async throws {
    var options = ListenOptions()
    options.maximumConnections = 1
    try await withTransportServer(options) { it in
      var silent: [RawPeer] = []
      for _ in 0..<257 { silent.append(try await RawPeer.connect(port: it.port)) }
      let last = try await RawPeer.connect(port: it.port)
      let response = try await last.response()
      #expect(response.status == 503)
      silent = []
    }
  }

  @Test("A flood of half handshakes does not keep others out")
  func handshakeFlood() async throws {
    try await withTransportServer(handler: .echo()) { it in
      var silent: [RawPeer] = []
      for _ in 0..<1100 { silent.append(try await RawPeer.connect(port: it.port)) }
      let peer = try await RawPeer.open(port: it.port)
      try await peer.send("hello")
      #expect(try await peer.nextMessage() == "hello")
      // The oldest had to go.
      #expect(try await silent[0].readToEnd() == 0)
      // And no more than had to.
      let cut = it.server.counters.refused[.full] ?? 0
      #expect((1...200).contains(cut))
      silent = []
    }
  }

  @Test("A busy port, an unknown host and bad options are errors that name the cause")
  func startErrors() async throws {
    try await withTransportServer { it in
      func error(_ change: (inout ListenOptions) -> Void) async -> TransportError? {
        var options = ListenOptions()
        change(&options)
        let server = WebSocketServer(on: it.loop, options, handler: RecordingHandler())
        do throws(TransportError) {
          _ = try await server.start()
          await server.stop()
          return nil
        } catch {
          await server.stop()
          return error
        }
      }
      #expect(await error { $0.port = it.port }?.code == .bindFailed)
      #expect(await error { $0.host = "no-such-host.invalid" }?.code == .nameNotResolved)
      for (field, change) in [
        ("path", { $0.path = "ws" }), ("subprotocol", { $0.subprotocol = "a b" }),
        ("maximumMessageBytes", { $0.maximumMessageBytes = 0 }),
        ("maximumConnections", { $0.maximumConnections = 100_000_000 }),
        ("pingInterval", { $0.pingInterval = .zero }),
        ("receiveBufferBytes", { $0.receiveBufferBytes = 1 }),
        (
          "tls.certificateFile",
          {
            $0.tls = TLSOptions(certificateFile: "/no/cert", privateKeyFile: "/no/key")
          }
        ),
      ] as [(String, (inout ListenOptions) -> Void)] {
        let error = await error(change)
        #expect(error?.code == .badOption)
        #expect(error?.message.contains(field) == true, "\(field)")
      }
    }
  }
}
