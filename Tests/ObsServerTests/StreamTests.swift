import ObsServer
import ObsTestSupport
import Testing

@Suite("Streams", .timeLimit(.minutes(5)))
struct StreamTests {
  @Test("every event comes in order, with its number; then complete")
  func order() async throws {
    try await withServer { server, url in
      try await server.stream("numbers") { (arguments: Newest) in
        AsyncStream { feed in
          for number in 0..<arguments.limit { feed.yield(number) }
          feed.finish()
        }
      }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("n", "numbers", ["limit": 100])
      for number in 0..<100 {
        let event = try await client.value("n")
        #expect(event.data == .int(Int64(number)))
        #expect(event.extensions["event"] == .int(Int64(number + 1)))
      }
      guard case .complete("n") = try await client.next() else {
        Issue.record("no complete")
        return
      }
    }
  }

  @Test("a subscriber that falls behind is told: overflow, after the events that fitted")
  func overflow() async throws {
    let limits = Limits()
    try await withServer { server, url in
      try await server.stream("flood") {
        AsyncStream<String> { feed in
          let text = String(repeating: "x", count: 100_000)
          for _ in 0..<1000 { feed.yield(text) }
        }
      }
      let client = try await ProtocolClient.connect(url)
      client.pauseReading()
      client.subscribe("f", "flood")
      var code: ErrorCode?
      var events = 0
      client.resumeReading()
      while code == nil {
        switch try await client.next() {
        case .next: events += 1
        case .error("f", let errors): code = errors.first?.code
        default: Issue.record("unexpected message")
        }
      }
      #expect(code == .overflow)
      #expect(events < 1000 && events > 0)
      #expect(limits.streamEvents == 256)
    }
  }

  @Test("a subscriber that leaves ends the iteration")
  func leaves() async throws {
    try await withServer { server, url in
      let (ended, end) = AsyncStream<Void>.makeStream()
      try await server.stream("endless") {
        AsyncStream<Int> { feed in
          feed.yield(1)
          feed.onTermination = { _ in end.finish() }
        }
      }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("e", "endless")
      _ = try await client.value("e")
      client.complete("e")
      for await _ in ended {}
    }
  }
}
