import ObsTestSupport
import ObsTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BackPressureTests {
  @Test(
    "A reader that does not read chokes, others are served, and when it reads it gets all in order"
  )
  func choke() async throws {
    let sent = Locked(0)
    @Sendable func fill(_ server: WebSocketServer, _ id: ConnectionID) {
      sent.withLock { sent in
        while sent < 200 {
          let text = "\(sent):" + String(repeating: "x", count: 20_000)
          let result = server.send(id, WebSocketFrame.message(.text, Array(text.utf8)))
          sent += 1
          guard result == .sent else { return }
        }
      }
    }
    let handler = RecordingHandler(onMessage: { server, id, message in
      if message == .text(Array("fill".utf8)) {
        fill(server, id)
        #expect(server.isChoked(id))
      } else {
        server.send(id, WebSocketFrame.message(.text, Array("pong".utf8)))
      }
    })
    try await withTransportServer(handler: handler) { it in
      let slow = try await RawPeer.open(port: it.port, receiveBuffer: 4096)
      let (slowID, _) = try #require(await handler.nextOpened())
      let fast = try await RawPeer.open(port: it.port)
      try await slow.send("fill")
      try await fast.send("hello")
      #expect(try await fast.nextMessage() == "pong")
      // It is choked, and stays so while it does not read.
      let before = sent.withLock { $0 }
      #expect(before < 200)
      let refilling = Task {
        while let event = await handler.events.next() {
          guard case .writable(slowID) = event else { continue }
          await it.onLoop { fill($0, slowID) }
          if sent.withLock({ $0 }) == 200 { return }
        }
      }
      for index in 0..<200 {
        let message = try #require(try await slow.nextMessage())
        #expect(message.hasPrefix("\(index):"))
        #expect(message.utf8.count == "\(index):".utf8.count + 20_000)
      }
      await refilling.value
    }
  }

  @Test("What a stalled peer costs is bounded by one send")
  func bounded() async throws {
    let frame = WebSocketFrame.message(.text, Array(repeating: 0x78, count: 8000))
    let handler = RecordingHandler(onMessage: { server, id, _ in
      var sends = 1
      while server.send(id, frame) == .sent { sends += 1 }
      // The kernel's send buffer, cut by TCP_NOTSENT_LOWAT, and the receiver's.
      #expect(sends < 60)
    })
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.open(port: it.port, receiveBuffer: 4096)
      try await peer.send("go")
      _ = await handler.events.next { if case .text = $0 { true } else { false } }
      let sent = it.server.counters.bytesSent
      #expect(sent < 500_000)
      peer.close()
      _ = try #require(await handler.nextClosed())
    }
  }

  @Test("A connection whose reading is paused receives nothing, until it is resumed")
  func pause() async throws {
    let handler = RecordingHandler(onMessage: { server, id, message in
      if message == .text(Array("pause".utf8)) { server.pauseReading(id) }
    })
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.open(port: it.port)
      let (id, _) = try #require(await handler.nextOpened())
      // In one segment: what was read before the pause waits, too.
      let frames =
        RawPeer.frame(opcode: 1, Array("pause".utf8))
        + RawPeer.frame(opcode: 1, Array("later".utf8))
      try await peer.send(raw: frames)
      #expect(await handler.events.next() == .text(id, "pause"))
      // Another connection is the marker that the loop went on.
      let other = try await RawPeer.open(port: it.port)
      let opened = await handler.events.next()
      guard case .opened = opened else {
        Issue.record("\(String(describing: opened)) came before the resume")
        return
      }
      try await other.send("marker")
      guard case .text(_, "marker") = await handler.events.next() else {
        Issue.record("the marker was expected")
        return
      }
      await it.onLoop { $0.resumeReading(id) }
      #expect(await handler.events.next() == .text(id, "later"))
    }
  }

  @Test("requestWritable calls back behind the pong that is due")
  func requestWritable() async throws {
    let handler = RecordingHandler(onMessage: { server, id, _ in server.requestWritable(id) })
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.open(port: it.port)
      let (id, _) = try #require(await handler.nextOpened())
      let frames = RawPeer.frame(opcode: 9, [1]) + RawPeer.frame(opcode: 1, [0x61])
      try await peer.send(raw: frames)
      _ = await handler.events.next { $0 == .writable(id) }
      await it.onLoop { server in
        _ = server.send(id, WebSocketFrame.message(.text, Array("answer".utf8)))
      }
      #expect(try await peer.nextFrame()?.opcode == 10)
      #expect(try await peer.nextFrame()?.text == "answer")
    }
  }
}
