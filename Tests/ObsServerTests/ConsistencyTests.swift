import ObsServer
import ObsTestSupport
import ObsTransport
import Testing

@Suite("Consistency under load", .timeLimit(.minutes(5)))
struct ConsistencyTests {
  @Test("storm: no torn value, revs rise, no two equal values in a row, the last value arrives")
  func storm() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.query("pair") { [board.pair.0, board.pair.1] }
      try await server.query("first") { board.pair.0 }
      let client = try await ProtocolClient.connect(url)
      client.subscribe("p", "pair")
      client.subscribe("f", "first")
      let writers = Task {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<8 {
            group.addTask {
              for _ in 0..<500 { await Self.bump(board) }
            }
          }
        }
      }
      var last: [String: (rev: Int64, data: JSON)] = [:]
      while last["p"]?.data != [4000, 4000] || last["f"]?.data != 4000 {
        guard case .next(let id, let payload) = try await client.next(),
          let rev = payload.extensions["rev"]?.intValue
        else { continue }
        if id == "p" { #expect(payload.data[0] == payload.data[1], "torn") }
        if let before = last[id] {
          #expect(rev > before.rev)
          #expect(payload.data != before.data)
        }
        last[id] = (rev, payload.data)
      }
      await writers.value
    }
  }

  @ObsActor
  private static func bump(_ board: Board) {
    board.pair.0 += 1
    board.pair.1 += 1
  }

  @Test("all values of one rev on a connection are one state, `more` on all but the last")
  func cut() async throws {
    let board = Board()
    try await withServer { server, url in
      for index in 0..<10 {
        try await server.query("q\(index)") { board.counter + index }
      }
      try await server.command("bump") { board.counter += 1 }
      let client = try await ProtocolClient.connect(url)
      for index in 0..<10 {
        client.subscribe("\(index)", "q\(index)")
        _ = try await client.value("\(index)")
      }
      for turn in 1...50 {
        client.subscribe("c", "bump")
        var revs: Set<Int64> = []
        for position in 0..<10 {
          guard case .next(let id, let payload) = try await client.next() else { return }
          #expect(payload.data == .int(Int64(turn + (Int(id) ?? -1))))
          #expect((payload.extensions["more"] == true) == (position < 9))
          if let rev = payload.extensions["rev"]?.intValue { revs.insert(rev) }
        }
        #expect(revs.count == 1)
        guard case .next("c", _) = try await client.next(),
          case .complete("c") = try await client.next()
        else {
          Issue.record("the answer did not follow the values")
          return
        }
      }
    }
  }

  @Test("a value that was acknowledged is told every later change, also from another connection")
  func acknowledgedMeansRegistered() async throws {
    let board = Board()
    try await withServer { server, url in
      try await server.registerBoard(board)
      let writer = try await ProtocolClient.connect(url)
      for round in 1...30 {
        let reader = try await ProtocolClient.connect(url)
        reader.subscribe("c", "counter")
        #expect(try await reader.value("c").data == .int(Int64(round - 1)))
        _ = try await writer.call("bump")
        #expect(try await reader.value("c").data == .int(Int64(round)))
        reader.close()
      }
    }
  }

  @Test("two users never get each other's values, equal rights share one evaluation")
  func rights() async throws {
    let change: (inout ServerConfiguration) -> Void = {
      $0.authenticate = { request in
        guard let token = request.payload["token"]?.stringValue else {
          throw WireError(.forbidden, "no token")
        }
        return Identity(user: token)
      }
    }
    try await withServer(.testing(change)) { server, url in
      try await server.query("mine") { (_: Nothing, caller: Caller) in caller.user ?? "nobody" }
      var clients: [ProtocolClient] = []
      for user in ["kim", "lee", "kim"] {
        let client = try await ProtocolClient.connect(url, payload: ["token": .string(user)])
        client.subscribe("m", "mine")
        #expect(try await client.value("m").data == .string(user))
        clients.append(client)
      }
      #expect(await server.statistics().liveQueries == 2)
      let refused = try await ProtocolClient.connect(url, initialize: false)
      refused.send(.connectionInit(payload: [:]))
      #expect(try await refused.ended().code == 4403)
    }
  }
}

struct Nothing: Codable, Sendable {}
