import ObsTestSupport
import ObsTransport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct LifeTests {
  /// Short for peers that shall be found dead, long where a living one must have time to answer on a busy machine.
  private func options(pongTimeout: Duration = .milliseconds(200)) -> ListenOptions {
    var options = ListenOptions()
    options.pingInterval = .milliseconds(100)
    options.pongTimeout = pongTimeout
    return options
  }

  @Test("A silent peer is pinged, and cut when it does not answer")
  func silentPeer() async throws {
    try await withTransportServer(options()) { it in
      let peer = try await RawPeer.open(port: it.port)
      #expect(try await peer.nextFrame()?.opcode == 9)
      let (_, close) = try #require(await it.handler.nextClosed())
      #expect(close.code == nil)
      #expect(close.reason.contains("ping"))
      #expect(try await peer.readToEnd() == 0)
      #expect(it.server.counters.silentPeers == 1)
    }
  }

  @Test("A peer that answers pings lives, however silent it is")
  func ponging() async throws {
    try await withTransportServer(options(pongTimeout: .seconds(20))) { it in
      let peer = try await RawPeer.open(port: it.port)
      for _ in 0..<5 {
        let ping = try #require(try await peer.nextFrame())
        #expect(ping.opcode == 9)
        try await peer.send(opcode: 10, ping.payload)
      }
      #expect(await it.connectionCount == 1)
    }
  }

  @Test("A peer that sends messages but no pongs lives: anything received is a sign of life")
  func talking() async throws {
    try await withTransportServer(options(pongTimeout: .seconds(20)), handler: .echo()) { it in
      let peer = try await RawPeer.open(port: it.port)
      for number in 0..<5 {
        #expect(try await peer.nextFrame()?.opcode == 9)
        try await peer.send("\(number)")
        #expect(try await peer.nextFrame()?.text == "\(number)")
      }
      #expect(await it.connectionCount == 1)
    }
  }

  @Test("A slow reader that makes progress is not dead; one that never reads is")
  func slowReader() async throws {
    let handler = RecordingHandler(onMessage: { server, id, _ in
      let frame = WebSocketFrame.message(.text, Array(repeating: 0x78, count: 60_000))
      while server.send(id, frame) == .sent {}
    })
    try await withTransportServer(options(pongTimeout: .seconds(6)), handler: handler) { it in
      let never = try await RawPeer.open(port: it.port, receiveBuffer: 4096)
      let (neverID, _) = try #require(await handler.nextOpened())
      let slow = try await RawPeer.open(port: it.port, receiveBuffer: 4096)
      _ = try #require(await handler.nextOpened())
      try await never.send("go")
      try await slow.send("go")
      // A little at a time, until the other one is dead: it would be, too, if reading did not count.
      let reading = Task {
        while !Task.isCancelled, try await slow.receiveSome(2000) > 0 {
          try await Task.sleep(for: .milliseconds(10))  // Here time is the subject.
        }
      }
      let (id, close) = try #require(await handler.nextClosed())
      #expect(id == neverID)
      #expect(close.code == nil)
      reading.cancel()
      _ = try? await reading.value
      #expect(await it.onLoop { $0.connectionCount } == 1)
    }
  }

  @Test("While we do not read, a peer cannot show life and is left alone")
  func pausedReading() async throws {
    try await withTransportServer(options()) { it in
      let paused = try await RawPeer.open(port: it.port)
      let (pausedID, _) = try #require(await it.handler.nextOpened())
      await it.onLoop { $0.pauseReading(pausedID) }
      let silent = try await RawPeer.open(port: it.port)
      let (otherID, _) = try #require(await it.handler.nextOpened())
      let (id, _) = try #require(await it.handler.nextClosed())
      #expect(id == otherID)
      #expect(await it.connectionCount == 1)
      paused.close()
      silent.close()
    }
  }
}
