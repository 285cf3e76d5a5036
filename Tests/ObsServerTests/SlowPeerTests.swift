import Foundation
import ObsModel
import ObsServer
import ObsTestSupport
import Testing

@Suite("Slow peers, expensive queries and churn", .timeLimit(.minutes(3)))
struct SlowPeerTests {
  @Test("peers that never read cost a bounded amount; they get the newest value when they resume")
  func stalled() async throws {
    let board = Board()
    let configuration = ServerConfiguration.testing { configuration in
      unlimitedRate(&configuration)
      // Not the subject: on a slow machine the breaker would ration the query.
      configuration.limits.evaluationTime = .seconds(60)
    }
    try await withServer(configuration) { server, url in
      try await server.query("big") { "\(board.counter) " + String(repeating: "x", count: 8000) }
      try await server.command("bump") { board.counter += 1 }
      let port = UInt16(try #require(server.address).port)
      var stalled: [RawPeer] = []
      for _ in 0..<30 {
        let peer = try await RawPeer.open(port: port, receiveBuffer: 4096)
        try await peer.send(#"{"type":"connection_init"}"#)
        try await peer.send(
          #"{"type":"subscribe","id":"a","payload":{"query":"","operationName":"big"}}"#
        )
        stalled.append(peer)
      }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("b", "big")
      _ = try await client.value("b")
      for round in 1...300 {
        // The reader that keeps up misses nothing: its answer follows its value.
        let (_, before) = try await client.call("bump")
        #expect(before.count == 1, "round \(round)")
      }
      var statistics = await server.statistics()
      while statistics.framesSkipped < 30 * 200 {
        _ = try await client.call("bump")
        statistics = await server.statistics()
      }
      let newest = try await client.call("bump").before.count
      #expect(newest == 1)
      // A stalled peer resumes: old values that had left, then the newest, none of those between.
      var values: [String] = []
      var last = ""
      let counter = await Self.counter(board)
      while !last.contains("\"\(counter) ") {
        guard let message = try await stalled[0].nextMessage() else { break }
        guard message.contains("\"next\"") else { continue }
        last = message
        values.append(message)
      }
      #expect(values.count < 20)
      #expect(last.contains("\"skipped\":"))
      for peer in stalled { peer.close() }
    }
  }

  @ObsActor
  private static func counter(_ board: Board) -> Int { board.counter }

  @Test("a query of 60 ms whose input changes all the time is rationed, and says deferred")
  func breaker() async throws {
    let board = Board()
    try await withServer(.testing(unlimitedRate)) { server, url in
      try await server.query("expensive") { () -> Int in
        burn(milliseconds: 60)
        return board.counter
      }
      try await server.query("cheap") { board.counter }
      try await server.command("bump") { board.counter += 1 }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("e", "expensive")
      #expect(try await client.value("e").data == 0)
      client.subscribe("c", "cheap")
      _ = try await client.value("c")
      var deferred = 0
      var cheap = 0
      var newest: JSON = 0
      func note(_ message: ServerMessage) {
        guard case .next(let id, let payload) = message else { return }
        if id == "c" { cheap += 1 }
        if id == "e" {
          newest = payload.data
          if payload.extensions["deferred"] == true { deferred += 1 }
        }
      }
      for _ in 0..<200 {
        for message in try await client.call("bump").before { note(message) }
      }
      #expect(cheap == 200, "the cheap query is in every cut")
      while newest != 200 { note(try await client.next()) }
      #expect(deferred >= 1)
      #expect(await server.statistics().deferrals >= 1)
    }
  }

  @Test("subscribing and leaving ten thousand times leaves nothing behind", .measuresMemory)
  func churn() async throws {
    let board = Board()
    try await withServer(.testing(unlimitedRate)) { server, url in
      try await server.query("newest") { (arguments: Newest) in
        Array(board.items.suffix(arguments.limit))
      }
      try await server.command("flush") {}
      let client = try await ProtocolClient.connect(url)
      func cycle(_ count: Int) async throws {
        for number in 0..<count {
          client.subscribe("a", "newest", ["limit": .int(Int64(number + 1))])
          _ = try await client.value("a")
          client.complete("a")
        }
        _ = try await client.call("flush")
      }
      try await cycle(2000)
      let before = try ProcessMemory.residentKiB()
      try await cycle(8000)
      let grown = try ProcessMemory.residentKiB() - before
      #expect(await server.statistics().liveQueries == 0)
      #expect(grown < 8 * 1024, "grew by \(grown) KiB")
    }
  }
}

/// For tests whose subject is not the operation rate.
func unlimitedRate(_ configuration: inout ServerConfiguration) {
  configuration.limits.operationBurst = 1_000_000
  configuration.limits.operationsPerSecond = 1_000_000
}

/// Burns CPU time of this thread.
func burn(milliseconds: UInt64) {
  let end = Clocks.threadCPU() + milliseconds * 1_000_000
  while Clocks.threadCPU() < end {}
}
