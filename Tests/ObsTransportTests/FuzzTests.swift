import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct FuzzTests {
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// Bytes of a peer that knows the protocol a little.
  private func noise(_ random: inout Random) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let payload = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        Bool.random(using: &random) ? UInt8(0x61) : UInt8.random(in: 0...255, using: &random)
      }
      switch Int.random(in: 0...5, using: &random) {
      case 0: bytes += payload
      case 1:
        bytes += RawPeer.frame(
          opcode: .random(in: 0...15, using: &random),
          payload,
          final: .random(using: &random),
          masked: .random(using: &random),
          reserved: Bool.random(using: &random) ? 0 : 0x40,
          announcedLength: Bool.random(using: &random)
            ? nil : .random(in: 0...UInt64.max, using: &random)
        )
      case 2: bytes += RawPeer.frame(opcode: 1, payload, final: .random(using: &random))
      case 3: bytes += RawPeer.frame(opcode: 0, payload, final: .random(using: &random))
      case 4: bytes += RawPeer.frame(opcode: 9, Array(payload.prefix(125)))
      default: bytes += RawPeer.frame(opcode: 8, Array(payload.prefix(130)))
      }
    }
    return bytes
  }

  @Test("Random bytes before and after the handshake neither stop the server nor stay")
  func noise() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("fuzz seed \(seed)")
    var random = Random(state: seed)
    var options = ListenOptions()
    options.handshakeTimeout = .milliseconds(500)
    options.closeTimeout = .milliseconds(200)
    options.maximumMessageBytes = 1000
    try await withTransportServer(options, handler: .echo()) { it in
      for round in 0..<300 {
        let peer = try await RawPeer.connect(port: it.port)
        if !round.isMultiple(of: 4) {
          var request = RawPeer.upgradeRequest(port: it.port)
          if round % 4 == 3 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
              request[Int.random(in: 0..<request.count, using: &random)] = .random(
                in: 0...255,
                using: &random
              )
            }
          }
          try? await peer.send(raw: request)
        }
        try? await peer.send(raw: noise(&random))
        switch Int.random(in: 0...2, using: &random) {
        case 0: peer.close()
        case 1: peer.reset()
        default: peer.shutdownSending()
        }
      }
      // A proper client is served as ever.
      let peer = try await RawPeer.open(port: it.port)
      try await peer.send("alive")
      #expect(try await peer.nextMessage() == "alive")
      peer.close()
      var sockets = await it.onLoop { $0.socketCount }
      let deadline = ContinuousClock.now + .seconds(30)
      while sockets > 0, ContinuousClock.now < deadline {
        sockets = await it.onLoop { $0.socketCount }
      }
      #expect(sockets == 0)
      #expect(await it.connectionCount == 0)
    }
  }
}
