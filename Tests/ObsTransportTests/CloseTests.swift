import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CloseTests {
  @Test(
    "A peer's close frame is echoed and told to the handler",
    arguments: [1000, 1001, 3000, 4999]
  )
  func peerCloses(code: UInt16) async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.open(port: it.port)
      try await peer.sendClose(code, "so long")
      let frame = try await peer.nextClose()
      #expect(frame?.closeCode == code)
      #expect(try await peer.readToEnd() == 0)
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close == ConnectionClose(code: code, reason: "so long", initiatedByPeer: true))
      #expect(await it.connectionCount == 0)
    }
  }

  @Test("A close frame without a code is told as one")
  func emptyClose() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.open(port: it.port)
      try await peer.sendClose(nil)
      #expect(try await peer.nextClose()?.payload == [])
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close == ConnectionClose(code: nil, reason: "", initiatedByPeer: true))
    }
  }

  @Test("A close reason that is not UTF-8 gets 1007")
  func invalidReason() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.open(port: it.port)
      try await peer.send(opcode: 8, [0x03, 0xE8, 0xFF])
      #expect(try await peer.nextClose()?.closeCode == 1007)
      #expect(try await peer.readToEnd() == 0)
      _ = try #require(await it.handler.nextClosed())
    }
  }

  @Test(
    "The server's close frame comes behind what was sent, with its code and reason",
    arguments: [1000, 1001, 1009, 1012, 1013, 4400, 4999]
  )
  func serverCloses(code: UInt16) async throws {
    let handler = RecordingHandler(onMessage: { server, id, _ in
      server.send(id, WebSocketFrame.message(.text, Array("last words".utf8)))
      server.close(id, code: code, reason: "because")
      // Nothing goes out behind a close frame.
      #expect(server.send(id, WebSocketFrame.message(.text, [])) == .gone)
    })
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.open(port: it.port)
      try await peer.send("go")
      #expect(try await peer.nextFrame()?.text == "last words")
      let frame = try await peer.nextFrame()
      #expect(frame?.closeCode == code)
      #expect(frame?.closeReason == "because")
      try await peer.sendClose(code)
      #expect(try await peer.readToEnd() == 0)
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close == ConnectionClose(code: code, reason: "because", initiatedByPeer: false))
    }
  }

  @Test("A peer that does not answer a close frame is cut at the deadline")
  func unanswered() async throws {
    var options = ListenOptions()
    options.closeTimeout = .milliseconds(200)
    try await withTransportServer(options) { it in
      let peer = try await RawPeer.open(port: it.port)
      let (id, _) = try #require(await it.handler.nextOpened())
      await it.onLoop { $0.close(id, code: 1001, reason: "bye") }
      #expect(try await peer.nextClose()?.closeCode == 1001)
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close.code == 1001)
      #expect(try await peer.readToEnd() == 0)
    }
  }

  @Test("A peer that does not read its close frame is cut at the deadline, too")
  func unread() async throws {
    var options = ListenOptions()
    options.closeTimeout = .milliseconds(200)
    let handler = RecordingHandler(onMessage: { server, id, _ in
      let frame = WebSocketFrame.message(.text, Array(repeating: 0x78, count: 60_000))
      while server.send(id, frame) == .sent {}
      server.close(id, code: 1013, reason: "slow consumer")
    })
    try await withTransportServer(options, handler: handler) { it in
      let peer = try await RawPeer.open(port: it.port, receiveBuffer: 4096)
      try await peer.send("go")
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close.code == 1013)
      _ = try await peer.readToEnd()
    }
  }

  @Test("A close frame waits behind choked data, and arrives when the peer reads")
  func closeBehindChokedData() async throws {
    let handler = RecordingHandler(onMessage: { server, id, _ in
      let frame = WebSocketFrame.message(.text, Array(repeating: 0x78, count: 60_000))
      while server.send(id, frame) == .sent {}
      server.close(id, code: 1012, reason: "restart")
    })
    var options = ListenOptions()
    options.closeTimeout = .seconds(60)  // The peer may be slow to read, as this machine may be.
    try await withTransportServer(options, handler: handler) { it in
      let peer = try await RawPeer.open(port: it.port, receiveBuffer: 4096)
      try await peer.send("go")
      var messages = 0
      while let frame = try await peer.nextFrame() {
        if frame.opcode == 8 {
          #expect(frame.closeCode == 1012)
          break
        }
        #expect(frame.payload.count == 60_000)
        messages += 1
      }
      #expect(messages > 0)
      try await peer.sendClose(1012)
      #expect(try await peer.readToEnd() == 0)
      _ = try #require(await it.handler.nextClosed())
    }
  }

  @Test("A connection that was cut ends without a close frame")
  func kill() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.open(port: it.port)
      let (id, _) = try #require(await it.handler.nextOpened())
      await it.onLoop { $0.kill(id) }
      #expect(try await peer.nextFrame() == nil)
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close.code == nil)
      #expect(!close.initiatedByPeer)
      // Everything about an old number is harmless.
      await it.onLoop { server in
        server.kill(id)
        server.close(id, code: 1000, reason: "")
        server.pauseReading(id)
        server.resumeReading(id)
        server.requestWritable(id)
        #expect(server.send(id, [0x81, 0]) == .gone)
        #expect(!server.isChoked(id))
      }
    }
  }

  @Test("A peer that vanishes is told once, by reset and by end of file")
  func vanish() async throws {
    try await withTransportServer { it in
      for reset in [true, false] {
        let peer = try await RawPeer.open(port: it.port)
        if reset { peer.reset() } else { peer.close() }
        let (_, close) = try #require(await it.handler.nextClosed())
        #expect(close.code == nil)
        #expect(close.initiatedByPeer)
      }
      #expect(it.handler.events.unread.isEmpty)
      #expect(await it.connectionCount == 0)
    }
  }

  @Test("Closing a connection whose reading is paused still completes")
  func closeWhilePaused() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.open(port: it.port)
      let (id, _) = try #require(await it.handler.nextOpened())
      await it.onLoop { server in
        server.pauseReading(id)
        server.close(id, code: 1001, reason: "bye")
      }
      #expect(try await peer.nextClose()?.closeCode == 1001)
      try await peer.sendClose(1001)
      #expect(try await peer.readToEnd() == 0)
      _ = try #require(await it.handler.nextClosed())
    }
  }

  @Test("Drain: no new connections, every peer its close frame, then all are gone")
  func drain() async throws {
    try await withTransportServer { it in
      var peers: [RawPeer] = []
      var ids: [ConnectionID] = []
      for _ in 0..<20 {
        peers.append(try await RawPeer.open(port: it.port))
        ids.append(try #require(await it.handler.nextOpened()).0)
      }
      let all = ids
      await it.onLoop { server in
        server.stopListening()
        for id in all { server.close(id, code: 1012, reason: "restart") }
      }
      for peer in peers {
        #expect(try await peer.nextClose()?.closeCode == 1012)
        try await peer.sendClose(1012)
        #expect(try await peer.readToEnd() == 0)
      }
      for _ in peers { _ = try #require(await it.handler.nextClosed()) }
      // Another test's server may have got the port in the meantime; ours opens no connection.
      _ = try? await RawPeer.open(port: it.port)
      #expect(it.handler.events.unread.isEmpty)
      await it.server.stop()
      #expect(await it.onLoop { $0.socketCount } == 0)
    }
  }

  @Test("Stopping cuts what is left, and more than one stop is fine")
  func stop() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.open(port: it.port)
      async let first: Void = it.server.stop()
      async let second: Void = it.server.stop()
      _ = await (first, second)
      #expect(try await peer.readToEnd() == 0)
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close.code == nil)
    }
  }
}
