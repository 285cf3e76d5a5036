import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct WebSocketURLTests {
  @Test("The parts of a URL")
  func parts() throws {
    let plain = try WebSocketURL("ws://example.org/ws?a=1#part")
    #expect(!plain.isSecure)
    #expect(plain.host == "example.org")
    #expect(plain.port == 80)
    #expect(plain.target == "/ws?a=1")
    #expect(plain.hostHeader == "example.org")
    let secure = try WebSocketURL("WSS://[::1]:9443")
    #expect(secure.isSecure)
    #expect(secure.host == "::1")
    #expect(secure.port == 9443)
    #expect(secure.target == "/")
    #expect(secure.hostHeader == "[::1]:9443")
    #expect(try WebSocketURL("wss://a").port == 443)
    #expect(try WebSocketURL("ws://a?x").target == "/?x")
  }

  @Test(
    "What is not a WebSocket URL is refused",
    arguments: [
      "", "http://a", "ws://", "ws:///x", "ws://a:", "ws://a:0", "ws://a:70000", "ws://a:b",
      "ws://user@a", "ws://[::1", "ws://[::1]x", "ws://a b", "ws://a\r\nX: y",
    ]
  )
  func refused(text: String) {
    #expect { try WebSocketURL(text) } throws: { ($0 as? TransportError)?.code == .badURL }
  }
}
