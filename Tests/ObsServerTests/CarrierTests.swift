import ObsServer
import ObsTestSupport
import Testing

@Suite("Carrier documents over a socket", .timeLimit(.minutes(5)))
struct CarrierTests {
  @Test("a subscription watches its root fields as one value")
  func subscription() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      client.watch(
        "s",
        "subscription W($n: Int!) { __typename open: openCount newest(limit: $n) { title } }",
        ["n": 1]
      )
      #expect(
        try await client.value("s").data
          == ["__typename": "Subscription", "open": 0, "newest": []]
      )
      client.watch("m", #"mutation { add(title: "x") }"#)
      #expect(
        try await client.value("s").data
          == ["__typename": "Subscription", "open": 1, "newest": [["title": "x"]]]
      )
      #expect(try await client.value("m").data == ["add": 1])
    }
  }

  @Test("a query answers once")
  func query() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      client.watch("q", "query { title }")
      #expect(try await client.value("q").data == ["title": "board"])
      guard case .complete("q") = try await client.next() else {
        Issue.record("no complete")
        return
      }
    }
  }

  @Test("a field of the wrong kind, and an unknown one, are refused with their place")
  func refused() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let client = try await ProtocolClient.connect(url)
      for (text, code) in [
        ("subscription {\n  bump\n}", ErrorCode.forbidden),
        ("mutation { title }", .forbidden),
        ("subscription { nothing }", .unknownOperation),
        ("subscription { __schema { types } }", .introspectionNotSupported),
        ("subscription { title ", .syntax),
      ] {
        client.watch("r", text)
        guard case .error("r", let errors) = try await client.next() else {
          Issue.record("no error for \(text)")
          continue
        }
        #expect(errors[0].code == code)
        #expect(!errors[0].locations.isEmpty)
      }
    }
  }
}
