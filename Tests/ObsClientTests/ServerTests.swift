import ObsClient
import ObsModel
import ObsServer
import ObsTestSupport
import ObsWire
import Observation
import Testing
import TriageBadge

/// The model of these tests.
@ObsActor @Observable
private final class Board {
  var items: [TriageQuery.Item] = []
  var mentions = 0
  var amounts: [Int] = [1, 2]
}

private struct Added: Codable, Sendable {
  var count: Int
}

private struct Broken: Error {}

/// Runs a client against a server that hosts a ``Board``.
private func withBoard(
  _ body: (Server, Board, Client) async throws -> Void
) async throws {
  try await withServer { server, url in
    let board = await Board()
    try await server.query("count") { board.items.count }
    try await server.query("triage") { (_: [String: String]) in
      TriageQuery.Value(assigned: board.items, mentions: board.mentions)
    }
    try await server.query("sum") { () throws in
      guard let first = board.amounts.first else { throw Broken() }
      return first
    }
    try await server.command("add") { (item: TriageQuery.Item, _: Caller) in
      board.items.append(item)
      return Added(count: board.items.count)
    }
    try await server.command("mention") { board.mentions += 1 }
    try await server.stream("numbers") { (arguments: [String: Int]) in
      AsyncStream<Int> { continuation in
        for number in 0..<(arguments["upTo"] ?? 0) { continuation.yield(number) }
        continuation.finish()
      }
    }
    let client = Client(url)
    do { try await body(server, board, client) } catch {
      await client.close()
      throw error
    }
    await client.close()
  }
}

private let pullRequest = TriageQuery.Item(title: "p", isPullRequest: true)

@Suite(.timeLimit(.minutes(5)))
struct ServerTests {
  @Test("values follow the model, and a call's answer comes after the values that it caused")
  func readYourWrites() async throws {
    try await withBoard { _, _, client in
      var counts = client.values("count", as: Int.self).makeAsyncIterator()
      #expect(try await counts.next() == 0)
      for number in 1...20 {
        let added = try await client.call("add", pullRequest, as: Added.self)
        #expect(added.count == number)
        // The value is here already: it does not have to be waited for.
        #expect(try await counts.next() == number)
      }
    }
  }

  @Test("a query can be asked once, and describe() names every operation")
  func askingOnce() async throws {
    try await withBoard { _, _, client in
      #expect(try await client.call("count", as: Int.self) == 0)
      let operations = try await client.describe()["operations"]?.arrayValue ?? []
      let names = operations.compactMap { $0["name"]?.stringValue }
      #expect(Set(names).isSuperset(of: ["count", "triage", "sum", "add", "mention", "numbers"]))
    }
  }

  @Test("an unknown operation and wrong arguments are errors of that operation only")
  func refusals() async throws {
    try await withBoard { (_: Server, _: Board, client: Client) async throws -> Void in
      let unknown = await #expect(throws: ClientError.self) { try await client.call("cuont") }
      #expect(unknown?.code == .unknownOperation)
      let wrong = await #expect(throws: ClientError.self) {
        try await client.call("add", ["title": 3])
      }
      #expect(wrong?.code == .badVariables)
      #expect(wrong?.message.contains("title") == true)
      #expect(try await client.call("count", as: Int.self) == 0)
    }
  }

  @Test("every event of a stream comes, in order, and then its end")
  func events() async throws {
    try await withBoard { _, _, client in
      var expected = 0
      for try await number in client.events("numbers", ["upTo": 200], as: Int.self) {
        #expect(number == expected)
        expected += 1
      }
      #expect(expected == 200)
    }
  }

  @Test("after the last reader the server has no live query, after close() no connection")
  func nothingLeft() async throws {
    try await withBoard { server, _, client in
      do {
        var counts = client.values("count", as: Int.self).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        #expect(await server.statistics().liveQueries == 1)
      }
      // Answered behind the end of the subscription, on the same connection.
      try await client.call("mention")
      #expect(await server.statistics().liveQueries == 0)
    }
  }

  @Test("a handle and its badge follow a real server")
  @MainActor
  func badge() async throws {
    try await withBoard { _, _, client in
      let badge = TriageBadge(client: client, viewer: "kim")
      try await client.call("add", pullRequest)
      await until { badge.open == 1 }
      let derivations = badge.derivations
      // These frames change only what the badge does not read.
      for _ in 1...5 { try await client.call("mention") }
      let handle = client.handle(for: TriageQuery(viewer: "kim"))
      await until { handle.phase.value?.mentions == 5 }
      #expect(badge.derivations == derivations)
      try await client.call("add", pullRequest)
      await until { badge.open == 2 }
      #expect(badge.derivations == derivations + 1)
    }
  }

  @Test("a token that the server takes lets in; one that it refuses is final, and says so")
  func tokens() async throws {
    let guarded = ServerConfiguration.testing { configuration in
      configuration.authenticate = { request in
        guard request.payload["token"] == "right" else { throw Broken() }
        return Identity(user: "kim")
      }
    }
    try await withServer(guarded) { server, url in
      try await server.query("who") { (_: [String: String], caller: Caller) in caller.user ?? "" }
      let kim = Client(url, ClientConfiguration(token: "right"))
      #expect(try await kim.call("who", as: String.self) == "kim")
      await kim.close()

      let stranger = Client(url, ClientConfiguration(token: "wrong"))
      let refused = await #expect(throws: ClientError.self) { try await stranger.call("who") }
      #expect(refused?.code == .forbidden)
      #expect(refused?.close == .forbidden)
      #expect(refused?.retryable == false)
      await stranger.close()
    }
  }

  @Test("wss: trusts the authority that it is told, and says why it trusts no other")
  func encrypted() async throws {
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    let secure = ServerConfiguration.testing { configuration in
      configuration.tls = .init(
        certificateFile: certificate.certificateFile,
        privateKeyFile: certificate.privateKeyFile
      )
    }
    try await withServer(secure) { server, url in
      try await server.query("answer") { 42 }
      var trusting = ClientConfiguration()
      trusting.trust = .authority(file: certificate.certificateFile)
      let client = Client(url, trusting)
      #expect(try await client.call("answer", as: Int.self) == 42)
      await client.close()

      let careful = Client(url)
      let refused = await #expect(throws: ClientError.self) { try await careful.connect() }
      #expect(refused?.code == .unreachable)
      #expect(refused?.message.contains("tls") == true)
      await careful.close()
    }
  }
}
