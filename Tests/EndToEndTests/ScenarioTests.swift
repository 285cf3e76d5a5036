import Dispatch
import Foundation
import ObsClient
import ObsServer
import ObsTestSupport
import ObsTransport
import Testing

/// Complaints about other live-query systems, tried here; docs/SCENARIOS.md says where the others are.
@Suite("Scenarios", .serialized, .timeLimit(.minutes(3)))
struct ScenarioTests {
  /// Runs `body` while the counter rises without a pause.
  private func withStorm(
    _ store: Store,
    _ body: () async throws -> Void
  ) async throws {
    let isOver = Locked(false)
    let storm = Task { @ObsActor in
      while !isOver.withLock({ $0 }) {
        store.counter += 1
        await Task.yield()
      }
    }
    do {
      try await body()
    } catch {
      isOver.withLock { $0 = true }
      throw error
    }
    isOver.withLock { $0 = true }
    await storm.value
  }

  @ObsActor
  private static func counter(_ store: Store) -> Int { store.counter }

  @Test("scenario 10: changes fall between evaluating and sending: snapshot, then newer ones")
  func snapshotFirst() async throws {
    let store = Store()
    try await withServer(.unlimited()) { server, url in
      try await server.register(store)
      let client = try await ProtocolClient.connect(url)
      try await withStorm(store) {
        for round in 0..<50 {
          let known = await Self.counter(store)
          client.subscribe("\(round)", "counter")
          var last: (data: Int64, rev: Int64)?
          var frames = 0
          while frames < 4 {
            // Values of the round before may still be under way.
            guard case .next("\(round)", let payload) = try await client.next() else { continue }
            let data = try #require(payload.data.intValue)
            let rev = try #require(payload.extensions["rev"]?.intValue)
            if let last {
              #expect(data > last.data)
              #expect(rev > last.rev)
            } else {
              #expect(data >= known)
            }
            last = (data, rev)
            frames += 1
          }
          client.complete("\(round)")
        }
      }
      client.subscribe("end", "counter")
      try await client.until("end", .int(Int64(await Self.counter(store))))
    }
  }

  @Test("scenario 22: the first result is whole, however many changes stream in meanwhile")
  func wholeFirstResult() async throws {
    let store = Store()
    try await withServer(.unlimited()) { server, url in
      // Fifty members that never change, and one that always does.
      try await server.query("all") { () -> [String: Int] in
        var all = ["hot": store.counter]
        for number in 0..<50 { all["cold \(number)"] = number }
        return all
      }
      let client = try await ProtocolClient.connect(url)
      try await withStorm(store) {
        for round in 0..<50 {
          client.subscribe("\(round)", "all")
          for _ in 0..<2 {
            var value: JSON?
            while value == nil {
              guard case .next("\(round)", let payload) = try await client.next() else { continue }
              value = payload.data
            }
            #expect(value?.objectValue?.count == 51)
            #expect(value?["cold 49"] == 49)
          }
          client.complete("\(round)")
        }
      }
    }
  }

  @Test("scenario 18: a stopped subscriber of a hot query costs nobody anything, and is removed")
  func stoppedSubscriber() async throws {
    let store = Store()
    let records = Mailbox<LogRecord>()
    let configuration = ServerConfiguration.unlimited {
      $0.pingInterval = .seconds(1)
      $0.pongTimeout = .seconds(5)
      $0.tell(records)
    }
    try await withServer(configuration) { server, url in
      try await server.register(store)
      let arguments = [
        "watch", "--operation", "big", "--variables", #"{"bytes":100000}"#, "--url", url,
      ]
      try await withProgram(Program.built("obsctl"), arguments) { program in
        #expect(await program.lines.next()?.contains(#""data":"0 xxx"#) == true)
        let opened = await records.next { $0.message == "connection opened" }
        let session = try #require(opened?.fields["session"])
        program.send(SIGSTOP)

        let witness = try await ProtocolClient.connect(url)
        witness.subscribe("w", "counter")
        #expect(try await witness.value("w").data == 0)
        var bumps = 0
        // Until the stopped one's buffers are full, and then some.
        while await server.statistics().framesSkipped < 50 {
          let (answer, before) = try await witness.call("bump")
          bumps += 1
          #expect(answer.data == .int(Int64(bumps)))
          #expect(before.count == 1, "each change, at once")
        }
        let other = try await ProtocolClient.connect(url)
        other.subscribe("o", "big", ["bytes": 3])
        #expect(try await other.value("o").data == .string("\(bumps) xxx"))

        let ended = await records.next { $0.message == "connection ended" }
        #expect(ended?.fields["session"] == session)
        #expect(ended?.fields["reason"] == "the peer did not answer a ping")
        #expect(await server.statistics().connections == 2)
        #expect(try await witness.call("bump").before.count == 1)
      }
    }
  }

  @Test("scenario 35: while a query evaluates, sockets are greeted, answered, pinged and closed")
  func liveSockets() async throws {
    let store = Store()
    let records = Mailbox<LogRecord>()
    let isEvaluating = Mailbox<Bool>()
    let mayEnd = DispatchSemaphore(value: 0)
    try await withServer(.unlimited { $0.tell(records) }) { server, url in
      try await server.register(store)
      try await server.query("slow") { () -> Int in
        isEvaluating.post(true)
        // A hang guard: without the signal below the test fails, and other tests go on.
        return mayEnd.wait(timeout: .now() + 20) == .success ? store.counter : -1
      }
      let port = UInt16(try #require(server.address).port)
      let client = try await ProtocolClient.connect(url)
      let leaving = try await ProtocolClient.connect(url)
      client.subscribe("s", "slow")
      _ = await isEvaluating.next()

      let http = try await RawPeer.connect(port: port)
      for path in ["/healthz", "/readyz", "/metrics"] {
        try await http.send(raw: Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(try await http.response().status == 200)
      }
      client.send(.ping(payload: ["n": 1]))
      guard case .pong(let payload) = try await client.next() else {
        Issue.record("no pong")
        return
      }
      #expect(payload?["n"] == 1)
      let newcomer = try await RawPeer.subscribed(port: port, to: "counter")
      try await newcomer.send(opcode: 9, [1, 2, 3])
      let pong = try #require(try await newcomer.nextFrame())
      #expect(pong.opcode == 10)
      #expect(pong.payload == [1, 2, 3])
      leaving.close()
      let ended = await records.next { $0.message == "connection ended" }
      #expect(ended?.fields["by"] == "peer")

      mayEnd.signal()
      #expect(try await client.value("s").data == 0)
      #expect(try await newcomer.nextMessage()?.contains(#""data":0"#) == true)
      newcomer.close()
      http.close()
    }
  }

  @Test("scenario 37: while one subscriber catches up from far behind, others are not delayed")
  func catchingUp() async throws {
    let store = Store()
    try await withServer(.unlimited()) { server, url in
      try await server.register(store)
      let port = UInt16(try #require(server.address).port)
      let behind = try await RawPeer.open(port: port, receiveBuffer: 4096)
      try await behind.send(#"{"type":"connection_init"}"#)
      _ = try await behind.nextMessage()
      // Ten values of 100 KB each to catch up with.
      for number in 0..<10 {
        try await behind.send(
          #"{"type":"subscribe","id":"\#(number)","payload":{"query":"","operationName":"big","variables":{"bytes":\#(100_000 + number)}}}"#
        )
      }
      let witness = try await ProtocolClient.connect(url)
      witness.subscribe("w", "counter")
      _ = try await witness.value("w")
      while await server.statistics().framesSkipped < 20 { _ = try await witness.call("bump") }

      // A piece at a time, each call of the witness in the middle of the catching up.
      let owed = 10 * 100_000
      var read = 0
      var calls = 0
      while read < owed {
        let (_, before) = try await witness.call("bump")
        #expect(before.count == 1)
        calls += 1
        var piece = 0
        while piece < 20_000 {
          let count = try await behind.receiveSome(65536)
          try #require(count > 0)
          piece += count
        }
        read += piece
      }
      #expect(calls >= 40)
      behind.close()
    }
  }

  @Test("scenario 56: both ends notice a network that went silent, and recover")
  func silentNetwork() async throws {
    let store = Store()
    let records = Mailbox<LogRecord>()
    let configuration = ServerConfiguration.unlimited {
      $0.pingInterval = .seconds(1)
      $0.pongTimeout = .seconds(4)
      $0.tell(records)
    }
    try await withServer(configuration) { server, url in
      try await server.register(store)
      let forwarder = try Forwarder(to: UInt16(try #require(server.address).port))
      var settings = ClientConfiguration()
      settings.pingInterval = .seconds(1)
      settings.pongTimeout = .seconds(4)
      let client = Client("ws://127.0.0.1:\(forwarder.port)/ws", settings)
      var values = client.values("counter", as: Int.self).makeAsyncIterator()
      #expect(try await values.next() == 0)
      let opened = await records.next { $0.message == "connection opened" }
      let session = try #require(opened?.fields["session"])
      let states = client.states

      forwarder.freeze()
      // The server's end.
      let ended = await records.next { $0.message == "connection ended" }
      #expect(ended?.fields["session"] == session)
      #expect(ended?.fields["reason"] == "the peer did not answer a ping")
      // The client's end.
      var loss: ClientError?
      for await state in states {
        guard case .backingOff(_, let because) = state else { continue }
        loss = because
        break
      }
      #expect(loss?.code == .connectionLost)

      let other = try await ProtocolClient.connect(url)
      _ = try await other.call("bump")
      #expect(try await values.next() == 1)
      _ = try await other.call("bump")
      #expect(try await values.next() == 2)
      await client.close()
      forwarder.close()
    }
  }

  @Test("scenario 64: operations started in the same millisecond have distinct ids")
  func distinctIDs() async throws {
    let handler = RecordingHandler(onMessage: { server, id, message in
      guard case .text(let text) = message,
        case .connectionInit = try? ClientMessage(parsing: text, limits: JSONLimits())
      else { return }
      let greeting = ServerMessage.connectionAck(payload: [:]).encoded
      server.send(id, WebSocketFrame.message(.text, greeting))
    })
    try await withTransportServer(handler: handler) { it in
      let client = Client("ws://127.0.0.1:\(it.port)/ws")
      let started = Mailbox<Int>()
      let readers = Task {
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<200 {
            group.addTask {
              var values = client.values("counter", as: Int.self).makeAsyncIterator()
              started.post(number)
              _ = try? await values.next()
            }
          }
        }
      }
      var ids: Set<String> = []
      var count = 0
      while count < 200 {
        guard case .text(_, let text) = await handler.events.next(),
          case .subscribe(let id, _) = try ClientMessage(
            parsing: Array(text.utf8),
            limits: JSONLimits()
          )
        else { continue }
        ids.insert(id)
        count += 1
      }
      #expect(ids.count == 200)
      await client.close()
      await readers.value
    }
  }
}
