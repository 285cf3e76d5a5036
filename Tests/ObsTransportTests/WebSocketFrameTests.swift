import ObsTestSupport
import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct WebSocketFrameTests {
  @Test("A header has 2, 4 or 10 bytes", arguments: [0, 1, 125, 126, 65535, 65536, 1 << 40])
  func headers(length: Int) {
    var bytes: [UInt8] = []
    WebSocketFrame.appendHeader(to: &bytes, opcode: .text, payloadLength: length)
    #expect(bytes.count == WebSocketFrame.headerLength(payloadLength: length))
    let expected = RawPeer.frame(
      opcode: 1,
      [],
      masked: false,
      announcedLength: UInt64(length)
    )
    #expect(bytes == expected)
  }

  @Test("A message is fragments of the asked length, the first with its kind, the last final")
  func fragments() {
    let frames = WebSocketFrame.message(.text, Array(0..<10), fragmentLength: 4)
    let expected =
      RawPeer.frame(opcode: 1, [0, 1, 2, 3], final: false, masked: false)
      + RawPeer.frame(opcode: 0, [4, 5, 6, 7], final: false, masked: false)
      + RawPeer.frame(opcode: 0, [8, 9], masked: false)
    #expect(frames == expected)
    #expect(WebSocketFrame.message(.binary, []) == [0x82, 0])
  }

  @Test("The reason of a close frame is cut between characters")
  func closeReason() {
    #expect(WebSocketFrame.close(code: 1000, reason: "") == [0x88, 2, 0x03, 0xE8])
    let exact = String(repeating: "a", count: 123)
    #expect(WebSocketFrame.close(code: 1001, reason: exact).count == 2 + 125)
    for lead in 0...4 {
      let reason = String(repeating: "a", count: 118 + lead) + "𝄞𝄞"
      let payload = WebSocketFrame.closePayload(code: 1001, reason: reason)
      #expect(payload.count <= 125)
      let text = String(validating: payload.dropFirst(2), as: UTF8.self)
      #expect(text.map { reason.hasPrefix($0) } == true)
      #expect(payload.count >= 2 + 119)
    }
  }

  @Test("A masked frame is what a client has to send")
  func masking() {
    let text = Array("hello, masked world of many words".utf8)
    for count in 0...text.count {
      let payload = Array(text.suffix(count))
      let frame = WebSocketFrame.masked(.text, text.suffix(count), key: 0x37fa_213d)
      #expect(frame == RawPeer.frame(opcode: 1, payload))
    }
  }
}
