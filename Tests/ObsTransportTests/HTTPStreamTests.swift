import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPStreamTests {
  private let head = HTTPResponse(
    status: 200,
    contentType: "text/event-stream",
    headers: [("Cache-Control", "no-store")]
  )

  private func request(_ line: String = "GET /events HTTP/1.1") -> [UInt8] {
    Array("\(line)\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n".utf8)
  }

  /// A handler that begins a stream for each request and hands it to the test.
  private func streaming(_ streams: Mailbox<HTTPExchange>) -> RecordingHandler {
    let head = head
    return RecordingHandler(onExchange: { exchange, _ in
      exchange.beginStream(head)
      streams.post(exchange)
    })
  }

  @Test("Pieces arrive as chunks when they are written, and the end is an end")
  func chunks() async throws {
    let streams = Mailbox<HTTPExchange>()
    try await withTransportServer(handler: streaming(streams)) { it in
      for isLater in [false, true] {
        let peer = try await RawPeer.connect(port: it.port)
        if isLater {
          try await peer.send(raw: Array("GET /ws HTTP/1.1\r\n\r\n".utf8))
          #expect(try await peer.response().status == 426)
        }
        try await peer.send(raw: request())
        let response = try await peer.response()
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/event-stream")
        #expect(response.headers["transfer-encoding"] == "chunked")
        #expect(response.headers["content-length"] == nil)
        #expect(response.headers["x-accel-buffering"] == "no")
        let stream = try #require(await streams.next())
        for text in ["data: 1\n\n", ": keep\n\n", String(repeating: "x", count: 40_000)] {
          await it.onLoop { _ in _ = stream.write(Array(text.utf8)) }
          #expect(try await peer.chunk() == text)
        }
        #expect(await it.onLoop { ($0.streamCount, stream.write([])) } == (1, .sent))
        await it.onLoop { _ in
          stream.end()
          #expect(stream.write([1]) == .gone)
          stream.end()
        }
        #expect(try await peer.chunk() == "")
        #expect(try await peer.readToEnd() == 0)
        #expect(await it.onLoop { $0.streamCount } == 0)
      }
    }
  }

  @Test("HTTP/1.0 gets the pieces plainly, until the connection ends; HEAD gets none")
  func oldAndHEAD() async throws {
    let streams = Mailbox<HTTPExchange>()
    try await withTransportServer(handler: streaming(streams)) { it in
      let old = try await RawPeer.connect(port: it.port)
      try await old.send(raw: request("GET /events HTTP/1.0"))
      #expect(try await old.response().headers["transfer-encoding"] == nil)
      let stream = try #require(await streams.next())
      await it.onLoop { _ in
        stream.write(Array("data: 1\n".utf8))
        stream.end()
      }
      #expect(try await old.line() == "data: 1")
      #expect(try await old.readToEnd() == 0)
      let head = try await RawPeer.connect(port: it.port)
      try await head.send(raw: request("HEAD /events HTTP/1.1"))
      #expect(try await head.response(toHEAD: true).status == 200)
      let nothing = try #require(await streams.next())
      #expect(await it.onLoop { _ in nothing.write([1]) } == .gone)
      #expect(try await head.readToEnd() == 0)
      #expect(await it.onLoop { $0.streamCount } == 0)
    }
  }

  @Test("A reader that stops chokes its stream, and is told when it reads on")
  func choke() async throws {
    let streams = Mailbox<HTTPExchange>()
    let handler = streaming(streams)
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.connect(port: it.port, receiveBuffer: 4096)
      try await peer.send(raw: request())
      _ = try await peer.response()
      let stream = try #require(await streams.next())
      let piece = Array(repeating: UInt8(ascii: "x"), count: 8000)
      for round in 0..<5 {
        let written = await it.onLoop { _ in
          var written = 1
          while stream.write(piece) == .sent { written += 1 }
          #expect(stream.isChoked)
          return written
        }
        // The kernel's send buffer, cut by TCP_NOTSENT_LOWAT, and the receiver's.
        #expect((1..<60).contains(written), "round \(round)")
        for _ in 0..<written { #expect(try await peer.chunk()?.utf8.count == 8000) }
        #expect(await handler.events.next() == .streamWritable(stream))
        #expect(await it.onLoop { _ in stream.isChoked } == false)
      }
    }
  }

  @Test("A reader that never reads is cut, one that is up to date may be quiet for any time")
  func deadAndQuiet() async throws {
    let streams = Mailbox<HTTPExchange>()
    let handler = streaming(streams)
    var options = ListenOptions()
    options.pingInterval = .milliseconds(100)
    options.pongTimeout = .milliseconds(100)
    options.handshakeTimeout = .milliseconds(100)
    options.answerTimeout = .milliseconds(100)
    try await withTransportServer(options, handler: handler) { it in
      let quiet = try await RawPeer.connect(port: it.port)
      try await quiet.send(raw: request())
      _ = try await quiet.response()
      let quietStream = try #require(await streams.next())
      let dead = try await RawPeer.connect(port: it.port, receiveBuffer: 4096)
      try await dead.send(raw: request())
      let stream = try #require(await streams.next())
      await it.onLoop { _ in
        while stream.write(Array(repeating: 0x78, count: 8000)) == .sent {}
      }
      #expect(await handler.events.next() == .gone(stream))
      #expect(await it.onLoop { ($0.streamCount, stream.isOpen) } == (1, false))
      await it.onLoop { _ in _ = quietStream.write(Array("still here".utf8)) }
      #expect(try await quiet.chunk() == "still here")
    }
  }

  @Test("A client that leaves is told once, and leaves nothing behind", arguments: [false, true])
  func disconnect(byReset: Bool) async throws {
    let streams = Mailbox<HTTPExchange>()
    let handler = streaming(streams)
    try await withTransportServer(handler: handler) { it in
      for _ in 0..<20 {
        let peer = try await RawPeer.connect(port: it.port)
        try await peer.send(raw: request())
        let stream = try #require(await streams.next())
        if byReset { peer.reset() } else { peer.close() }
        #expect(await handler.events.next() == .gone(stream))
        #expect(await it.onLoop { ($0.streamCount, $0.socketCount) } == (0, 0))
        #expect(await it.onLoop { _ in stream.write([1]) } == .gone)
      }
    }
  }

  @Test("A cut stream ends without its end")
  func cut() async throws {
    let streams = Mailbox<HTTPExchange>()
    let handler = streaming(streams)
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: request())
      _ = try await peer.response()
      let stream = try #require(await streams.next())
      await it.onLoop { _ in stream.cut() }
      #expect(try await peer.readToEnd() == 0)
      #expect(await handler.events.next() == .gone(stream))
    }
  }

  @Test("Streams count as connections: one too many gets 503")
  func limit() async throws {
    let streams = Mailbox<HTTPExchange>()
    let handler = streaming(streams)
    var options = ListenOptions()
    options.maximumConnections = 2
    try await withTransportServer(options, handler: handler) { it in
      let socket = try await RawPeer.open(port: it.port)
      let stream = try await RawPeer.connect(port: it.port)
      try await stream.send(raw: request())
      #expect(try await stream.response().status == 200)
      let third = try await RawPeer.connect(port: it.port)
      try await third.send(raw: request())
      #expect(try await third.response().status == 503)
      #expect(it.server.counters.refused[.full] == 1)
      let fourth = try await RawPeer.connect(port: it.port)
      #expect(try await fourth.handshake().status == 503)
      socket.close()
      stream.close()
      while await it.onLoop({ $0.socketCount }) > 0 {}
      let fifth = try await RawPeer.connect(port: it.port)
      try await fifth.send(raw: request())
      #expect(try await fifth.response().status == 200)
    }
  }

  @Test("Stopping ends streams, answers what waits, and tells the handler")
  func stop() async throws {
    let exchanges = Mailbox<HTTPExchange>()
    let head = head
    let handler = RecordingHandler(onExchange: { exchange, request in
      if request.path == "/events" { exchange.beginStream(head) }
      exchanges.post(exchange)
    })
    try await withTransportServer(handler: handler) { it in
      let open = try await RawPeer.connect(port: it.port)
      try await open.send(raw: request())
      _ = try await open.response()
      let stream = try #require(await exchanges.next())
      let waiting = try await RawPeer.connect(port: it.port)
      try await waiting.send(raw: Array("GET /later HTTP/1.1\r\n\r\n".utf8))
      let answer = try #require(await exchanges.next())
      await it.server.stop()
      #expect(try await open.chunk() == "")
      #expect(try await open.readToEnd() == 0)
      #expect(try await waiting.response().status == 503)
      var told: Set<HTTPExchange> = []
      for _ in 0..<2 {
        if case .gone(let exchange) = await handler.events.next() { told.insert(exchange) }
      }
      #expect(told == [stream, answer])
    }
  }

  @Test(
    "Under TLS, streams and answers are the same",
    .enabled(if: Tool.path("curl") != nil, "needs curl")
  )
  func tls() async throws {
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    let curl = try #require(Tool.path("curl"))
    var options = ListenOptions()
    options.tls = certificate.options
    let head = head
    let handler = RecordingHandler(onExchange: { exchange, request in
      guard request.path == "/events" else {
        return exchange.respond(
          .text(200, "\(request.method) \(request.rawPath) \(request.body.count)")
        )
      }
      exchange.beginStream(head)
      exchange.write(Array("data: 1\n\n".utf8))
      exchange.end()
    })
    try await withTransportServer(options, handler: handler) { it in
      let base = "https://localhost:\(it.port)"
      let common = ["-s", "-S", "--max-time", "30", "--cacert", certificate.certificateFile]
      let stream = try await Tool.run(curl, common + ["-N", base + "/events"])
      #expect(stream.status == 0)
      #expect(stream.output == "data: 1\n\n")
      let posts = try await Tool.run(
        curl,
        common + ["-d", "abc", base + "/a%2Fb", base + "/c"]
      )
      #expect(posts.output == "POST /a%2Fb 3\nPOST /c 3\n")
    }
  }
}
