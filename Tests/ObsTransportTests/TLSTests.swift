import ObsTestSupport
import ObsTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
  private func withTLSServer(
    _ body: (TransportServer, TestCertificate) async throws -> Void
  ) async throws {
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    var options = ListenOptions()
    options.tls = certificate.options
    options.maximumMessageBytes = 6_000_000
    try await withTransportServer(options, handler: .echo()) { try await body($0, certificate) }
  }

  @Test("Messages of all sizes go both ways when the client trusts the authority")
  func echo() async throws {
    try await withTLSServer { it, certificate in
      let handler = RecordingClient()
      var options = ConnectOptions(url: "wss://localhost:\(it.port)/ws")
      options.tls = .caFile(certificate.certificateFile)
      let client = WebSocketClient.connect(on: it.loop, options, handler: handler)
      let first = await handler.events.next()
      try #require(first == .opened("graphql-transport-ws"), "\(String(describing: first))")
      for size in [0, 1, 16384, 70_000, 5_000_000] {
        let text = String(repeating: "x", count: size)
        client.send(text: Array(text.utf8))
        #expect(await handler.events.next() == .text(text), "\(size) bytes")
      }
      client.close()
      guard case .closed(let close, nil) = await handler.events.next() else {
        Issue.record("an orderly end was expected")
        return
      }
      #expect(close.code == 1000)
      _ = try #require(await it.handler.nextClosed())
    }
  }

  @Test("A client that does not know the authority refuses, unless it was told not to look")
  func trust() async throws {
    try await withTLSServer { it, _ in
      for (verification, url, passes) in [
        (TLSVerification.system, "wss://localhost:\(it.port)/ws", false),
        (.insecure, "wss://127.0.0.1:\(it.port)/ws", true),
      ] {
        let handler = RecordingClient()
        var options = ConnectOptions(url: url)
        options.tls = verification
        let client = WebSocketClient.connect(on: it.loop, options, handler: handler)
        let event = await handler.events.next()
        if passes {
          #expect(event == .opened("graphql-transport-ws"))
          client.close()
          continue
        }
        guard case .closed(_, let error) = event else {
          Issue.record("a refusal was expected, not \(String(describing: event))")
          continue
        }
        #expect(error?.code == .tlsFailed, "\(String(describing: error))")
      }
    }
  }

  @Test("Plaintext on a TLS port gets nothing, and nobody else notices")
  func plaintext() async throws {
    try await withTLSServer { it, certificate in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: RawPeer.upgradeRequest(port: it.port))
      _ = try await peer.readToEnd()
      let handler = RecordingClient()
      var options = ConnectOptions(url: "wss://localhost:\(it.port)/ws")
      options.tls = .caFile(certificate.certificateFile)
      _ = WebSocketClient.connect(on: it.loop, options, handler: handler)
      #expect(await handler.events.next() == .opened("graphql-transport-ws"))
    }
  }

  @Test("A TLS handshake that stops half way ends at the handshake timeout")
  func halfHandshake() async throws {
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    var options = ListenOptions()
    options.tls = certificate.options
    options.handshakeTimeout = .milliseconds(200)
    try await withTransportServer(options) { it in
      let peer = try await RawPeer.connect(port: it.port)
      // The beginning of a record.
      try await peer.send(raw: [0x16, 0x03, 0x01, 0x02, 0x00])
      _ = try await peer.readToEnd()
      #expect(await it.onLoop { $0.connectionCount } == 0)
    }
  }
}
