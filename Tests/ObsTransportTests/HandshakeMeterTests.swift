import ObsTestSupport
import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct HandshakeMeterTests {
  private static let second: UInt64 = 1_000_000_000

  @Test("A burst is free, then as many pass as the rate allows")
  func rate() {
    var meter = HandshakeMeter(perSecond: 10, burst: 5, now: 0)
    func passing(_ count: Int, at now: UInt64) -> Int {
      (0..<count).count { _ in meter.take(at: now) == nil }
    }
    #expect(passing(20, at: 0) == 5)
    #expect(passing(20, at: Self.second / 10) == 1)
    #expect(passing(20, at: Self.second) == 5)
    #expect(passing(20, at: 100 * Self.second) == 5)
  }

  @Test("Those who are refused are spread over the seconds that have room")
  func spread() {
    var meter = HandshakeMeter(perSecond: 100, burst: 1, now: 0)
    #expect(meter.take(at: 0) == nil)
    var waits: [Int: Int] = [:]
    for _ in 0..<300 { waits[meter.take(at: 0) ?? 0, default: 0] += 1 }
    #expect(waits == [1: 100, 2: 100, 3: 100])
    // What was promised is forgotten with the time.
    _ = meter.take(at: 10 * Self.second)
    #expect(meter.take(at: 10 * Self.second) == 1)
  }

  @Test("No wait is longer than the longest, however many are refused")
  func longest() {
    var meter = HandshakeMeter(perSecond: 0.01, burst: 1, now: 7)
    #expect(meter.take(at: 7) == nil)
    for _ in 0..<1000 { #expect(meter.take(at: 7) == HandshakeMeter.longestWait) }
  }

  @Test("A client over the rate gets 503 with the time to come back, and no WebSocket")
  func refused() async throws {
    var options = ListenOptions()
    options.handshakesPerSecond = 0.5
    options.handshakeBurst = 2
    try await withTransportServer(options) { it in
      let first = try await RawPeer.open(port: it.port)
      let second = try await RawPeer.open(port: it.port)
      let third = try await RawPeer.connect(port: it.port)
      let response = try await third.handshake()
      #expect(response.status == 503)
      #expect(response.headers["retry-after"] == "2")
      #expect(it.server.counters.refused[.rate] == 1)
      #expect(it.server.counters.accepted == 2)
      first.close()
      second.close()
    }
  }
}
