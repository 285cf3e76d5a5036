import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientTests {
  private func outcome(
    _ loop: EventLoop,
    _ url: String,
    _ change: (inout ConnectOptions) -> Void = { _ in }
  ) async -> (ConnectionClose, TransportError?)? {
    let handler = RecordingClient()
    var options = ConnectOptions(url: url)
    change(&options)
    let client = WebSocketClient.connect(on: loop, options, handler: handler)
    var end: (ConnectionClose, TransportError?)?
    while let event = await handler.events.next() {
      if case .closed(let close, let error) = event { end = (close, error) }
      if case .opened = event { client.close() }
    }
    return end
  }

  @Test("Messages go both ways, in order, small and large")
  func echo() async throws {
    var options = ListenOptions()
    options.maximumMessageBytes = 4_000_000
    options.acceptsBinary = true
    try await withTransportServer(options, handler: .echo()) { it in
      let handler = RecordingClient()
      let client = WebSocketClient.connect(
        on: it.loop,
        ConnectOptions(url: "ws://127.0.0.1:\(it.port)/ws"),
        handler: handler
      )
      // Sent before it is open: they wait.
      for number in 0..<100 { client.send(text: Array("\(number)".utf8)) }
      #expect(await handler.events.next() == .opened("graphql-transport-ws"))
      for number in 0..<100 { #expect(await handler.events.next() == .text("\(number)")) }
      let large = String(repeating: "grüße ", count: 300_000)
      client.send(text: Array(large.utf8))
      #expect(await handler.events.next() == .text(large))
      client.send(binary: [0, 1, 2])
      #expect(await handler.events.next() == .binary([0, 1, 2]))
      client.send(text: [])
      #expect(await handler.events.next() == .text(""))
      client.close(code: 4000, reason: "done")
      #expect(
        await handler.events.next()
          == .closed(ConnectionClose(code: 4000, reason: "done", initiatedByPeer: false), nil)
      )
      #expect(await handler.events.next() == nil)
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close == ConnectionClose(code: 4000, reason: "done", initiatedByPeer: true))
    }
  }

  @Test("A loop of its own, a name instead of an address, headers of its own")
  func options() async throws {
    try await withTransportServer(handler: .echo()) { it in
      let handler = RecordingClient()
      var options = ConnectOptions(url: "ws://localhost:\(it.port)/ws?x=y")
      options.headers = [("Authorization", "Bearer t"), ("X-Bad", "a\r\nCookie: stolen")]
      options.subprotocol = nil
      let client = WebSocketClient.connect(
        on: try EventLoop.shared(),
        options,
        handler: handler
      )
      #expect(await handler.events.next() == .opened(nil))
      let (_, request) = try #require(await it.handler.nextOpened())
      #expect(request.authorization == "Bearer t")
      #expect(request.cookie == nil)
      #expect(request.host == "localhost:\(it.port)")
      #expect(request.query == "x=y")
      #expect(request.subprotocol == nil)
      client.kill()
      guard case .closed(let close, _) = await handler.events.next() else {
        Issue.record("the end was expected")
        return
      }
      #expect(close.code == nil)
    }
  }

  @Test(
    "The server's close code and reason arrive, also those that the library rewrites",
    arguments: [
      (1000, ""), (1001, "going away"), (1012, "restart"), (1013, "overloaded"),
      (1013, "slow consumer"), (4400, "bad message: grüße"), (4999, "x"),
    ] as [(UInt16, String)]
  )
  func closeCodes(code: UInt16, reason: String) async throws {
    try await withTransportServer { it in
      let handler = RecordingClient()
      _ = WebSocketClient.connect(
        on: it.loop,
        ConnectOptions(url: "ws://127.0.0.1:\(it.port)/ws"),
        handler: handler
      )
      let (id, _) = try #require(await it.handler.nextOpened())
      await it.onLoop { $0.close(id, code: code, reason: reason) }
      #expect(await handler.events.next() == .opened("graphql-transport-ws"))
      #expect(
        await handler.events.next()
          == .closed(ConnectionClose(code: code, reason: reason, initiatedByPeer: true), nil)
      )
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close.code == code)
      #expect(!close.initiatedByPeer)
    }
  }

  @Test("A refused handshake is an error with its HTTP status")
  func refused() async throws {
    try await withTransportServer { it in
      let missing = try #require(await outcome(it.loop, "ws://127.0.0.1:\(it.port)/nowhere"))
      #expect(missing.1?.code == .handshakeRefused)
      #expect(missing.1?.httpStatus == 404)
      let origin = try #require(
        await outcome(it.loop, "ws://127.0.0.1:\(it.port)/ws") {
          $0.headers = [("Origin", "https://evil.example.org")]
        }
      )
      #expect(origin.1?.httpStatus == 403)
      let subprotocol = try #require(
        await outcome(it.loop, "ws://127.0.0.1:\(it.port)/ws") { $0.subprotocol = "other" }
      )
      #expect(subprotocol.1?.httpStatus == 400)
    }
  }

  @Test("A server that is busy says when to come back, and the client hears it")
  func retryAfter() async throws {
    var options = ListenOptions()
    options.handshakesPerSecond = 0.25
    options.handshakeBurst = 1
    try await withTransportServer(options) { it in
      let first = try await RawPeer.open(port: it.port)
      let busy = try #require(await outcome(it.loop, "ws://127.0.0.1:\(it.port)/ws"))
      #expect(busy.1?.code == .handshakeRefused)
      #expect(busy.1?.httpStatus == 503)
      #expect(busy.1?.retryAfter == .seconds(4))
      first.close()
    }
  }

  @Test("What cannot be connected to is an error with a code of its own")
  func unreachable() async throws {
    let loop = try EventLoop(name: "test-client")
    #expect(await outcome(loop, "ws://127.0.0.1:1/")?.1?.code == .connectFailed)
    #expect(await outcome(loop, "ws://no-such-host.invalid/")?.1?.code == .nameNotResolved)
    #expect(await outcome(loop, "http://127.0.0.1/")?.1?.code == .badURL)
    await loop.stop()
    #expect(await outcome(loop, "ws://127.0.0.1:1/")?.1?.code == .stopped)
  }

  @Test("A server that accepts and then says nothing ends at the connect timeout")
  func silentServer() async throws {
    // A server whose WebSocket nobody answers: a listening socket that is never accepted from.
    let listener = try SilentListener()
    let loop = try EventLoop(name: "test-client")
    let end = await outcome(loop, "ws://127.0.0.1:\(listener.port)/") {
      $0.connectTimeout = .milliseconds(200)
    }
    #expect(end?.1?.code == .connectTimeout)
    await loop.stop()
  }

  @Test("A server that stops answering pings is noticed")
  func deadServer() async throws {
    try await withTransportServer { it in
      let handler = RecordingClient()
      var options = ConnectOptions(url: "ws://127.0.0.1:\(it.port)/ws")
      options.pingInterval = .milliseconds(100)
      options.pongTimeout = .milliseconds(100)
      let loop = try EventLoop(name: "test-client")
      _ = WebSocketClient.connect(on: loop, options, handler: handler)
      #expect(await handler.events.next() == .opened("graphql-transport-ws"))
      let (id, _) = try #require(await it.handler.nextOpened())
      // The server lives, and answers pings, as long as it reads.
      await it.onLoop { $0.pauseReading(id) }
      guard case .closed(_, let error) = await handler.events.next() else {
        Issue.record("the end was expected")
        return
      }
      #expect(error?.code == .peerSilent)
      await loop.stop()
    }
  }

  @Test("A server that vanishes is an error")
  func lost() async throws {
    try await withTransportServer { it in
      let handler = RecordingClient()
      _ = WebSocketClient.connect(
        on: it.loop,
        ConnectOptions(url: "ws://127.0.0.1:\(it.port)/ws"),
        handler: handler
      )
      let (id, _) = try #require(await it.handler.nextOpened())
      await it.onLoop { $0.kill(id) }
      _ = await handler.events.next()
      guard case .closed(let close, let error) = await handler.events.next() else {
        Issue.record("the end was expected")
        return
      }
      #expect(close.code == nil)
      #expect(error?.code == .connectionLost)
    }
  }

  @Test("What waits to be sent is limited")
  func sendBuffer() async throws {
    try await withTransportServer { it in
      let handler = RecordingClient()
      var options = ConnectOptions(url: "ws://127.0.0.1:\(it.port)/ws")
      options.maximumBufferedBytes = 100_000
      let client = WebSocketClient.connect(on: it.loop, options, handler: handler)
      let (id, _) = try #require(await it.handler.nextOpened())
      await it.onLoop { $0.pauseReading(id) }
      _ = await handler.events.next()
      for _ in 0..<400 { client.send(text: Array(repeating: 0x78, count: 50_000)) }
      guard case .closed(_, let error) = await handler.events.next() else {
        Issue.record("the end was expected")
        return
      }
      #expect(error?.code == .sendBufferFull)
    }
  }

  @Test("A message over the client's limit ends with 1009")
  func messageLimit() async throws {
    try await withTransportServer(handler: .echo()) { it in
      let handler = RecordingClient()
      var options = ConnectOptions(url: "ws://127.0.0.1:\(it.port)/ws")
      options.maximumMessageBytes = 1000
      let client = WebSocketClient.connect(on: it.loop, options, handler: handler)
      client.send(text: Array(repeating: 0x78, count: 1001))
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close.code == 1009)
    }
  }

  @Test("Closing before the connection is made ends it without an error")
  func closeEarly() async throws {
    try await withTransportServer { it in
      let handler = RecordingClient()
      // On the loop's thread, which so cannot make the connection in between.
      await it.onLoop { _ in
        WebSocketClient.connect(
          on: it.loop,
          ConnectOptions(url: "ws://127.0.0.1:\(it.port)/ws"),
          handler: handler
        )
        .close()
      }
      guard case .closed(let close, let error) = await handler.events.next() else {
        Issue.record("the end was expected")
        return
      }
      #expect(close.code == nil)
      #expect(error == nil)
    }
  }

  @Test("A storm of clients on one loop: everyone is served, and none is left")
  func storm() async throws {
    try await withTransportServer(handler: .echo()) { it in
      let loop = try EventLoop(name: "test-client")
      let port = it.port
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let handler = RecordingClient()
            let client = WebSocketClient.connect(
              on: loop,
              ConnectOptions(url: "ws://127.0.0.1:\(port)/ws"),
              handler: handler
            )
            for round in 0..<10 { client.send(text: Array("\(number).\(round)".utf8)) }
            #expect(await handler.events.next() == .opened("graphql-transport-ws"))
            for round in 0..<10 {
              #expect(await handler.events.next() == .text("\(number).\(round)"))
            }
            // Half of them say goodbye.
            if number.isMultiple(of: 2) { client.close() } else { client.kill() }
            guard case .closed = await handler.events.next() else {
              Issue.record("the end was expected")
              return
            }
          }
        }
        try await group.waitForAll()
      }
      for _ in 0..<200 { _ = try #require(await it.handler.nextClosed()) }
      #expect(await it.connectionCount == 0)
      #expect(it.server.counters.accepted == 200)
      await loop.stop()
    }
  }
}
