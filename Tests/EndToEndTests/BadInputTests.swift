import ObsServer
import ObsTestSupport
import Testing

/// PROTOCOL.md section 8, row by row, by a peer that can say anything.
@Suite("Bad input", .timeLimit(.minutes(5)))
struct BadInputTests {
  /// A server with one query and a well-behaved client, which must notice nothing.
  private func withWitness(
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (Server, UInt16) async throws -> Void
  ) async throws {
    try await withServer(.testing(change)) { server, url in
      try await server.query("one") { 1 }
      try await server.query("limited") { (arguments: Limited) in arguments.limit }
      try await server.command("echo") { (arguments: Limited) in arguments.limit }
      let witness = try await ProtocolClient.connect(url)
      witness.subscribe("w", "one")
      #expect(try await witness.value("w").data == 1)
      try await body(server, UInt16(try #require(server.address).port))
      #expect(try await witness.call("echo", ["limit": 7]).answer.data == 7)
      #expect(await server.statistics().connections == 1)
    }
  }

  /// Sends after a good start; the connection must end with `code`.
  private func expectClose(
    _ code: UInt16,
    initialize: Bool = true,
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ send: (RawPeer) async throws -> Void
  ) async throws {
    try await withWitness(change) { _, port in
      let peer = try await RawPeer.open(port: port)
      if initialize {
        try await peer.send(#"{"type":"connection_init"}"#)
        #expect(try await peer.nextMessage()?.contains("connection_ack") == true)
      }
      try await send(peer)
      let close = try await peer.nextClose()
      #expect(close?.closeCode == code)
      #expect((close?.payload.count ?? 0) <= 125)
      try await peer.sendClose(code)
      #expect(try await peer.nextFrame() == nil)
    }
  }

  private static let badMessages = [
    "not json", "{", "[]", "\"text\"", "{}", #"{"type":7}"#, #"{"type":"start"}"#,
    #"{"type":"subscribe"}"#, #"{"type":"subscribe","id":"a"}"#,
    #"{"type":"subscribe","id":"","payload":{"query":""}}"#,
    #"{"type":"subscribe","id":"a","payload":{"query":7}}"#,
    #"{"type":"subscribe","id":"a","payload":{"query":"","variables":[]}}"#,
    #"{"type":"subscribe","id":"a","payload":{"query":"a","extensions":{"live":{"since":"nonsense"}}}}"#,
    #"{"type":"ping","payload":7}"#, #"{"type":"ping","type":"ping"}"#,
    #"{"type":"ping","payload":{"n":1e400}}"#,
    #"{"type":"ping","payload":{"n":9223372036854775808}}"#,
    #"{"type":"ping","payload":{"s":"\ud800"}}"#,
    String(repeating: "[", count: 100_000),
    #"{"type":"ping","payload":{"a":"# + String(repeating: "[", count: 70)
      + String(repeating: "]", count: 70) + "}}",
  ]

  @Test("a bad message is closed with 4400", arguments: badMessages)
  func badMessage(text: String) async throws {
    try await expectClose(4400) { try await $0.send(text) }
  }

  @Test("subscribe before connection_init is closed with 4401")
  func subscribeFirst() async throws {
    try await expectClose(4401, initialize: false) {
      try await $0.send(
        #"{"type":"subscribe","id":"a","payload":{"query":"","operationName":"one"}}"#
      )
    }
  }

  @Test("a second connection_init is closed with 4429")
  func secondInit() async throws {
    try await expectClose(4429) { try await $0.send(#"{"type":"connection_init"}"#) }
  }

  @Test("no connection_init in time is closed with 4408")
  func noInit() async throws {
    try await expectClose(
      4408,
      initialize: false,
      { $0.limits.initTimeout = .milliseconds(300) }
    ) { _ in }
  }

  @Test("an id that is active is closed with 4409")
  func duplicateID() async throws {
    let text = #"{"type":"subscribe","id":"a","payload":{"query":"","operationName":"one"}}"#
    try await expectClose(4409) { peer in
      try await peer.send(text)
      _ = try await peer.nextMessage()
      try await peer.send(text)
    }
  }

  @Test("a binary frame is closed with 1003")
  func binary() async throws {
    try await expectClose(1003) { try await $0.send(opcode: 2, [1, 2, 3]) }
  }

  @Test("invalid UTF-8 is closed with 1007")
  func invalidUTF8() async throws {
    try await expectClose(1007) { try await $0.send(opcode: 1, [0x22, 0xC3, 0x28, 0x22]) }
  }

  @Test("invalid UTF-8 split over fragments is closed with 1007")
  func splitUTF8() async throws {
    try await expectClose(1007) { peer in
      try await peer.send(opcode: 1, [0x22, 0xE2, 0x82], final: false)
      try await peer.send(opcode: 0, [0x22], final: true)
    }
  }

  @Test("a code point split over fragments is fine")
  func splitCodePoint() async throws {
    try await withWitness { _, port in
      let peer = try await RawPeer.open(port: port)
      let bytes = Array(#"{"type":"ping","payload":{"euro":"€"}}"#.utf8)
      let cut = bytes.count - 5
      try await peer.send(#"{"type":"connection_init"}"#)
      _ = try await peer.nextMessage()
      try await peer.send(opcode: 1, Array(bytes[..<cut]), final: false)
      try await peer.send(opcode: 0, Array(bytes[cut...]), final: true)
      #expect(try await peer.nextMessage()?.contains(#""payload":{"euro":"€"}"#) == true)
      peer.close()
    }
  }

  @Test("a message over the limit is closed with 1009, whether in one frame or in many")
  func tooBig() async throws {
    try await expectClose(1009) {
      try await $0.send(opcode: 1, [0x20], announcedLength: 256 * 1024 + 1)
    }
    try await expectClose(1009, { $0.limits.messageBytes = 10_000 }) { peer in
      let piece = [UInt8](repeating: 0x20, count: 1000)
      try await peer.send(opcode: 1, piece, final: false)
      for _ in 0..<20 { try? await peer.send(opcode: 0, piece, final: false) }
    }
  }

  @Test("an unknown operation, a bad argument: an error, and the connection lives")
  func operationErrors() async throws {
    try await withServer { server, url in
      try await server.query("limited") { (arguments: Limited) in arguments.limit }
      let client = try await ProtocolClient.connect(url)
      for (name, arguments, code) in [
        ("nothing", JSON.Object(), ErrorCode.unknownOperation),
        ("limited", ["limit": "x"], .badVariables),
        ("limited", [:], .badVariables),
      ] {
        client.subscribe("a", name, arguments)
        guard case .error("a", let errors) = try await client.next() else {
          Issue.record("no error for \(name)")
          return
        }
        #expect(errors[0].code == code)
      }
      client.subscribe("a", "limited", ["limit": 3])
      #expect(try await client.value("a").data == 3)
    }
  }

  @Test("one subscription over the limit is an error that names it; the others go on")
  func tooMany() async throws {
    try await withServer(.testing { $0.limits.subscriptionsPerConnection = 3 }) { server, url in
      try await server.query("limited") { (arguments: Limited) in arguments.limit }
      let client = try await ProtocolClient.connect(url)
      for number in 1...3 {
        client.subscribe("s\(number)", "limited", ["limit": .int(Int64(number))])
        _ = try await client.value("s\(number)")
      }
      client.subscribe("s4", "limited", ["limit": 4])
      guard case .error("s4", let errors) = try await client.next() else {
        Issue.record("no error")
        return
      }
      #expect(errors[0].code == .tooManySubscriptions)
      #expect(errors[0].extensions["limit"] == 3)
      client.complete("s1")
      client.subscribe("s5", "limited", ["limit": 5])
      #expect(try await client.value("s5").data == 5)
    }
  }

  @Test("over the operation rate the socket is read more slowly, and nothing is lost")
  func rate() async throws {
    let change: (inout ServerConfiguration) -> Void = {
      $0.limits.operationsPerSecond = 2000
      $0.limits.operationBurst = 5
      $0.limits.subscriptionsPerConnection = 1000
    }
    try await withServer(.testing(change)) { server, url in
      try await server.command("echo") { (arguments: Limited) in arguments.limit }
      let client = try await ProtocolClient.connect(url)
      for number in 0..<300 {
        client.subscribe("c\(number)", "echo", ["limit": .int(Int64(number))])
      }
      var answers = 0
      while answers < 300 {
        switch try await client.next() {
        case .next: answers += 1
        case .complete: break
        case let other: throw UnexpectedMessage(got: other)
        }
      }
    }
  }

  @Test("requests that are refused before the upgrade")
  func refusedUpgrades() async throws {
    try await withWitness { _, port in
      for (path, subprotocol, headers, status) in [
        (
          "/ws", "graphql-transport-ws",
          [("Origin", "https://evil.example"), ("Cookie", "session=1")], 403
        ),
        ("/ws", "graphql-transport-ws", [("Origin", "null"), ("Cookie", "session=1")], 403),
        ("/ws", "mqtt", [], 400), ("/other", "graphql-transport-ws", [], 404),
        ("/ws", "graphql-transport-ws", [("Upgrade", "")], 426),
      ] as [(String, String, [(String, String)], Int)] {
        let peer = try await RawPeer.connect(port: port)
        let response = try await peer.handshake(
          path: path,
          subprotocol: subprotocol,
          headers: headers
        )
        #expect(response.status == status, "\(path) \(subprotocol) \(headers)")
        peer.close()
      }
      let h2c = try await RawPeer.connect(port: port)
      try await h2c.send(
        raw: RawPeer.upgradeRequest(
          port: port,
          headers: [("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAAQAAP__")]
        )
      )
      let answer = try? await h2c.response()
      #expect(answer?.status != 101)
      h2c.close()
    }
  }

  @Test("half a handshake, then silence: the connection ends")
  func halfHandshake() async throws {
    try await withWitness({ $0.limits.handshakeTimeout = .seconds(2) }) { _, port in
      let peer = try await RawPeer.connect(port: port)
      try await peer.send(raw: Array("GET /ws HTTP/1.1\r\nHost: x\r\n".utf8))
      _ = try await peer.readToEnd()
    }
  }

  @Test("a peer that never pongs is gone after ping and timeout")
  func neverPongs() async throws {
    let change: (inout ServerConfiguration) -> Void = {
      $0.pingInterval = .milliseconds(500)
      // The witness answers in time, however busy the machine is.
      $0.pongTimeout = .seconds(4)
    }
    try await withWitness(change) { _, port in
      let peer = try await RawPeer.open(port: port)
      try await peer.send(#"{"type":"connection_init"}"#)
      _ = try await peer.readToEnd()
    }
  }

  @Test("a peer that vanishes leaves nothing behind")
  func vanishes() async throws {
    try await withServer { server, url in
      try await server.query("one") { 1 }
      let port = UInt16(try #require(server.address).port)
      for _ in 0..<20 {
        let peer = try await RawPeer.open(port: port)
        try await peer.send(#"{"type":"connection_init"}"#)
        _ = try await peer.nextMessage()
        try await peer.send(
          #"{"type":"subscribe","id":"a","payload":{"query":"","operationName":"one"}}"#
        )
        _ = try await peer.nextMessage()
        peer.reset()
      }
      let witness = try await ProtocolClient.connect(url)
      var figures = await server.statistics()
      while figures.connections > 1 || figures.liveQueries > 0 {
        _ = try await witness.call("$describe")
        figures = await server.statistics()
      }
      #expect(figures.subscriptions == 0)
    }
  }
}

struct Limited: Codable, Sendable { var limit: Int }
