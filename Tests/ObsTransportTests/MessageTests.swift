import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MessageTests {
  /// What a server with small limits says to a peer that does something wrong; nil when there was no close frame.
  private func close(
    acceptsBinary: Bool = false,
    _ misbehave: (RawPeer) async throws -> Void
  ) async throws -> RawPeer.Frame? {
    var options = ListenOptions()
    options.maximumMessageBytes = 10_000
    options.acceptsBinary = acceptsBinary
    return try await withTransportServer(options, handler: .echo()) { it in
      let other = try await RawPeer.open(port: it.port)
      let peer = try await RawPeer.open(port: it.port)
      try await misbehave(peer)
      let frame = try await peer.nextClose()
      if frame != nil {
        // We answer, then the server ends the connection.
        try await peer.sendClose(frame?.closeCode)
        #expect(try await peer.readToEnd() == 0)
      }
      // The others notice nothing.
      try await other.send("still here")
      #expect(try await other.nextMessage() == "still here")
      return frame
    }
  }

  @Test("Messages come back whole, whatever their size and fragments")
  func echo() async throws {
    var options = ListenOptions()
    options.maximumMessageBytes = 2_000_000
    options.acceptsBinary = true
    try await withTransportServer(options, handler: .echo()) { it in
      let peer = try await RawPeer.open(port: it.port)
      for size in [0, 1, 125, 126, 4095, 4096, 4097, 65535, 65536, 1_000_000] {
        let text = String(repeating: "x", count: size)
        try await peer.send(text)
        #expect(try await peer.nextMessage() == text, "\(size) bytes")
      }
      // Fragments, with a ping between, split within a character.
      let bytes = Array("grüße".utf8)
      try await peer.send(opcode: 1, Array(bytes[..<3]), final: false)
      try await peer.send(opcode: 9, Array("p".utf8))
      try await peer.send(opcode: 0, [], final: false)
      try await peer.send(opcode: 0, Array(bytes[3...]))
      var frames: [RawPeer.Frame] = []
      for _ in 0..<2 { frames.append(try #require(try await peer.nextFrame())) }
      #expect(frames.contains { $0.opcode == 10 && $0.text == "p" })
      #expect(frames.contains { $0.opcode == 1 && $0.text == "grüße" })
      try await peer.send(opcode: 2, [0, 255])
      let binary = try #require(try await peer.nextFrame())
      #expect(binary.opcode == 2)
      #expect(binary.payload == [0, 255])
    }
  }

  @Test("A binary message gets 1003")
  func binary() async throws {
    let frame = try await close { try await $0.send(opcode: 2, [1, 2, 3]) }
    #expect(frame?.closeCode == 1003)
    #expect(frame?.closeReason == "text only")
  }

  @Test("Invalid UTF-8 gets 1007, also split over fragments, also incomplete at the end")
  func invalidUTF8() async throws {
    let frame = try await close { try await $0.send(opcode: 1, [0x61, 0xFF]) }
    #expect(frame?.closeCode == 1007)
    let split = try await close {
      try await $0.send(opcode: 1, [0x61, 0xE2, 0x82], final: false)
      try await $0.send(opcode: 0, [0x28], final: false)
    }
    #expect(split?.closeCode == 1007)
    let cut = try await close {
      try await $0.send(opcode: 1, [0xE2], final: false)
      try await $0.send(opcode: 0, [0x82])
    }
    #expect(cut?.closeCode == 1007)
  }

  @Test("One byte over the limit gets 1009; the limit itself passes")
  func tooLarge() async throws {
    let frame = try await close {
      try await $0.send(String(repeating: "x", count: 10_000))
      #expect(try await $0.nextMessage()?.count == 10_000)
      try await $0.send(String(repeating: "x", count: 10_001))
    }
    #expect(frame?.closeCode == 1009)
    #expect(frame?.closeReason.contains("10000") == true)
  }

  @Test("A huge announcement gets 1009 when its first piece arrives")
  func hugeAnnouncement() async throws {
    let frame = try await close {
      try await $0.send(
        opcode: 1,
        Array(repeating: 0x78, count: 5000),
        announcedLength: 546_000_000_000
      )
    }
    #expect(frame?.closeCode == 1009)
  }

  @Test("Endless fragments get 1009")
  func endlessFragments() async throws {
    let frame = try await close {
      try await $0.send(opcode: 1, Array(repeating: 0x78, count: 1000), final: false)
      for _ in 0..<10 {
        try await $0.send(opcode: 0, Array(repeating: 0x78, count: 1000), final: false)
      }
    }
    #expect(frame?.closeCode == 1009)
  }

  @Test(
    "Frames that the protocol forbids end the connection",
    arguments: [
      RawPeer.frame(opcode: 3, []), RawPeer.frame(opcode: 11, []),
      RawPeer.frame(opcode: 1, [0x61], reserved: 0x40),
      RawPeer.frame(opcode: 0, [0x61]), RawPeer.frame(opcode: 9, [], final: false),
    ]
  )
  func protocolErrors(frame: [UInt8]) async throws {
    let close = try await close { try await $0.send(raw: frame) }
    #expect(close == nil || close?.closeCode == 1002)
  }

  @Test("A control frame over 125 bytes ends the connection")
  func longControlFrame() async throws {
    try await withTransportServer { it in
      let peer = try await RawPeer.open(port: it.port)
      try await peer.send(opcode: 9, Array(repeating: 0, count: 126))
      #expect(try await peer.nextFrame()?.opcode ?? 8 == 8)
      _ = try #require(await it.handler.nextClosed())
    }
  }
}
