import ObsTestSupport
import ObsTransport
import Testing

/// Exchanges as they come in, for tests that answer them.
private final class Desk: Sendable {
  let exchanges = Mailbox<HTTPExchange>()

  func handler() -> RecordingHandler {
    RecordingHandler(onExchange: { exchange, _ in self.exchanges.post(exchange) })
  }

  func next() async throws -> HTTPExchange { try #require(await exchanges.next()) }
}

@Suite(.timeLimit(.minutes(5)))
struct HTTPAnswerTests {
  private let get = Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

  @Test("An answer may come later, and once; what was sent ahead waits for it")
  func later() async throws {
    let desk = Desk()
    try await withTransportServer(handler: desk.handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: get + get)
      let first = try await desk.next()
      await it.onLoop { _ in
        #expect(first.isOpen)
        first.respond(.text(200, "first"))
        #expect(!first.isOpen)
        first.respond(.text(200, "again"))
        #expect(first.beginStream(HTTPResponse(status: 200)) == .gone)
      }
      #expect(try await peer.response().body == "first\n")
      let second = try await desk.next()
      #expect(second != first)
      await it.onLoop { _ in
        first.respond(.text(200, "for the second"))
        second.respond(.text(200, "second"))
      }
      #expect(try await peer.response().body == "second\n")
    }
  }

  @Test("Without an answer in time the client gets 503, and the handler is told")
  func tooLate() async throws {
    let desk = Desk()
    let handler = desk.handler()
    var options = ListenOptions()
    options.answerTimeout = .milliseconds(100)
    try await withTransportServer(options, handler: handler) { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: get)
      let exchange = try await desk.next()
      #expect(try await peer.response().status == 503)
      #expect(await handler.events.next() == .gone(exchange))
      await it.onLoop { _ in exchange.respond(.text(200, "too late")) }
      #expect(try await peer.readToEnd() == 0)
    }
  }

  @Test("A client that leaves before the answer is told once")
  func gone() async throws {
    let desk = Desk()
    let handler = desk.handler()
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: get)
      let exchange = try await desk.next()
      peer.close()
      #expect(await handler.events.next() == .gone(exchange))
      await it.onLoop { server in
        #expect(!exchange.isOpen)
        exchange.respond(.text(200, "nobody"))
        #expect(server.socketCount == 0)
      }
      // A marker: nothing else was told.
      let other = try await RawPeer.connect(port: it.port)
      try await other.send(raw: get)
      let marker = try await desk.next()
      other.reset()
      #expect(await handler.events.next() == .gone(marker))
    }
  }

  @Test("A large answer goes out as the client reads, and others are served meanwhile")
  func large() async throws {
    let desk = Desk()
    try await withTransportServer(handler: desk.handler()) { it in
      let peer = try await RawPeer.connect(port: it.port, receiveBuffer: 4096)
      try await peer.send(raw: get)
      let exchange = try await desk.next()
      await it.onLoop { _ in
        exchange.respond(
          HTTPResponse(status: 200, body: (0..<2_000_000).map { UInt8($0 & 0x3f) + 32 })
        )
      }
      let other = try await RawPeer.connect(port: it.port)
      try await other.send(raw: get)
      let second = try await desk.next()
      await it.onLoop { _ in second.respond(.text(200, "meanwhile")) }
      #expect(try await other.response().body == "meanwhile\n")
      let body = Array(try await peer.response().body.utf8)
      #expect(body.count == 2_000_000)
      #expect(body.enumerated().allSatisfy { $1 == UInt8($0 & 0x3f) + 32 })
      try await peer.send(raw: get)
      let next = try await desk.next()
      await it.onLoop { _ in next.respond(.text(200, "next")) }
      #expect(try await peer.response().body == "next\n")
    }
  }

  @Test("A client that does not read its answer is cut; one that reads slowly is not")
  func stalled() async throws {
    var options = ListenOptions()
    options.pingInterval = .milliseconds(100)
    options.pongTimeout = .milliseconds(100)
    let handler = RecordingHandler(onRequest: { _ in
      HTTPResponse(status: 200, body: Array(repeating: 0x78, count: 5_000_000))
    })
    try await withTransportServer(options, handler: handler) { it in
      let peer = try await RawPeer.connect(port: it.port, receiveBuffer: 4096)
      try await peer.send(raw: get)
      while await it.onLoop({ $0.socketCount }) > 0 {}
      let read = try await peer.readToEnd()
      #expect(read < 5_000_000)
    }
  }

  @Test("Requests far ahead of the answers wait, and all are answered in the end")
  func ahead() async throws {
    let desk = Desk()
    try await withTransportServer(handler: desk.handler()) { it in
      // Twice what the server keeps of them.
      let count = 5000
      let requests = Array(repeatElement(get, count: count).joined())
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: requests)
      for _ in 0..<count {
        let exchange = try await desk.next()
        await it.onLoop { _ in exchange.respond(HTTPResponse(status: 204)) }
      }
      for _ in 0..<count { #expect(try await peer.response().status == 204) }
      #expect(await it.onLoop { $0.socketCount } == 1)
    }
  }

  @Test("Statuses without a body have none, and the connection goes on")
  func noBody() async throws {
    let handler = RecordingHandler(onRequest: { request in
      HTTPResponse(
        status: request.method == "PUT" ? 204 : 304,
        headers: [("ETag", "\"1\"")],
        body: [1, 2, 3]
      )
    })
    try await withTransportServer(handler: handler) { it in
      let peer = try await RawPeer.connect(port: it.port)
      for (method, status) in [("GET", 304), ("PUT", 204), ("GET", 304)] {
        try await peer.send(raw: Array("\(method) / HTTP/1.1\r\n\r\n".utf8))
        let response = try await peer.response()
        #expect(response.status == status)
        #expect(response.headers == ["etag": "\"1\""])
      }
    }
  }

  @Test("While the server drains, answers end their connections")
  func draining() async throws {
    let desk = Desk()
    try await withTransportServer(handler: desk.handler()) { it in
      let peer = try await RawPeer.connect(port: it.port)
      try await peer.send(raw: get)
      let first = try await desk.next()
      await it.onLoop { _ in first.respond(.text(200, "first")) }
      #expect(try await peer.response().headers["connection"] == nil)
      it.server.stopListening()
      try await peer.send(raw: get)
      let second = try await desk.next()
      await it.onLoop { _ in second.respond(.text(200, "second")) }
      #expect(try await peer.response().headers["connection"] == "close")
      #expect(try await peer.readToEnd() == 0)
    }
  }

  @Test("2,000 requests, on one connection and on one each, leave nothing behind")
  func many() async throws {
    let handler = RecordingHandler(onRequest: { .text(200, "\($0.body.count)") })
    try await withTransportServer(handler: handler) { it in
      let post =
        Array("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n".utf8)
        + Array(repeating: 0x78, count: 100)
      func round(_ count: Int) async throws {
        let peer = try await RawPeer.connect(port: it.port)
        for _ in 0..<count {
          try await peer.send(raw: post)
          #expect(try await peer.response().body == "100\n")
          let other = try await RawPeer.connect(port: it.port)
          try await other.send(raw: get)
          #expect(try await other.response().body == "0\n")
        }
      }
      try await round(1000)
      while await it.onLoop({ $0.socketCount }) > 0 {}
      #expect(it.server.counters.httpRequests == 2000)
    }
  }
}
