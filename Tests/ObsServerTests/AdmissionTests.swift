import ObsTransport
import ObsWire
import Synchronization
import Testing

@testable import ObsServer

/// First values are spread over peers, whoever came first and whatever they ask for.
@Suite("Admission", .timeLimit(.minutes(5)))
struct AdmissionTests {
  private static func key(_ connection: UInt64, _ serial: Int) -> OperationKey {
    OperationKey(connection: ConnectionID(rawValue: connection), serial: UInt64(serial))
  }

  /// Requests as `connection.serial`, a turn each.
  private static func turns(_ admission: inout Admission, room: Int) -> [[String]] {
    var turns: [[String]] = []
    while !admission.isEmpty {
      var turn: [String] = []
      admission.admit { request in
        turn.append("\(request.key.connection.rawValue).\(request.key.serial)")
        return turn.count < room
      }
      turns.append(turn)
    }
    return turns
  }

  @Test("connections take turns by shares, and each keeps its order")
  func shares() {
    var admission = Admission()
    admission.append((0..<20).map { .leave(Self.key(1, $0)) })
    admission.append([.leave(Self.key(2, 0)), .leave(Self.key(2, 1))])
    let turns = Self.turns(&admission, room: 10)
    #expect(turns.count == 3)
    #expect(turns[0] == (0..<8).map { "1.\($0)" } + ["2.0", "2.1"])
    #expect(turns[1] + turns[2] == (8..<20).map { "1.\($0)" })
  }

  @Test("a turn that ends within a share goes on there, behind the others")
  func interrupted() {
    var admission = Admission()
    admission.append((0..<4).map { .leave(Self.key(1, $0)) })
    admission.append((0..<2).map { .leave(Self.key(2, $0)) })
    let turns = Self.turns(&admission, room: 3)
    #expect(turns == [["1.0", "1.1", "1.2"], ["2.0", "2.1", "1.3"]])
  }

  @Test("what comes in between stands behind what the same connection asked before")
  func order() {
    var admission = Admission()
    admission.append((0..<3).map { .leave(Self.key(1, $0)) })
    admission.admit { _ in false }
    admission.append([.leave(Self.key(1, 3))])
    #expect(Self.turns(&admission, room: 100) == [["1.1", "1.2", "1.3"]])
  }

  @Test("random requests and rooms: nothing is lost, nothing is doubled, each order is kept")
  func random() {
    for _ in 0..<200 {
      var admission = Admission()
      var sent: [UInt64: Int] = [:]
      var got: [UInt64: [Int]] = [:]
      for _ in 0..<Int.random(in: 1...20) {
        var requests: [Request] = []
        for _ in 0..<Int.random(in: 0...30) {
          let connection = UInt64.random(in: 1...5)
          requests.append(.leave(Self.key(connection, sent[connection, default: 0])))
          sent[connection, default: 0] += 1
        }
        admission.append(requests)
        var room = Int.random(in: 0...20)
        admission.admit { request in
          got[request.key.connection.rawValue, default: []].append(Int(request.key.serial))
          room -= 1
          return room > 0
        }
      }
      while !admission.isEmpty {
        admission.admit { request in
          got[request.key.connection.rawValue, default: []].append(Int(request.key.serial))
          return true
        }
      }
      for (connection, count) in sent { #expect(got[connection] == Array(0..<count)) }
    }
  }

  @Test("200 peers come back at once, one of them with 200 queries: nobody waits behind it")
  @ObsActor
  func storm() async throws {
    let board = Board()
    let (outputs, feed) = AsyncStream.makeStream(of: TurnOutput.self)
    let engine = QueryEngine(
      language: Language(limits: Limits()),
      limits: Limits(),
      linger: .zero,
      metrics: Metrics(),
      log: Log(threshold: LogThreshold(.off)) { _ in },
      readiness: Readiness(),
      publish: { feed.yield($0) }
    )
    engine.start()
    // Each asks for queries of its own, so that all of them must be evaluated; the greedy one comes first.
    func ask(_ connection: UInt64, _ count: Int) -> [Request] {
      (0..<count).map { number in
        let query = ResolvedQuery(
          text: Array("\(connection).\(number)".utf8),
          takesCaller: false
        ) { _ in FunctionEvaluator { .value(JSON.int(Int64(board.counter)).encoded) } }
        return .watch(Self.key(connection, number), query, Caller(), WatchOptions())
      }
    }
    engine.admit((0...200).flatMap { ask(UInt64($0), $0 == 0 ? 200 : 5) })
    var counts: [UInt64: Int] = [:]
    /// The turn that brought a peer its last value.
    var finished: [UInt64: Int] = [:]
    var greedyInTurn: [Int] = []
    var turn = 0
    for await output in outputs {
      #expect(output.attached.count <= Admission.startsPerTurn)
      greedyInTurn.append(output.attached.count { $0.key.connection.rawValue == 0 })
      for (key, _, _, _) in output.attached {
        let connection = key.connection.rawValue
        counts[connection, default: 0] += 1
        if counts[connection] == (connection == 0 ? 200 : 5) { finished[connection] = turn }
      }
      turn += 1
      if finished.count == 201 { break }
    }
    engine.stop()
    // 1,200 queries in as few turns as the bound allows.
    #expect(turn == (1200 + Admission.startsPerTurn - 1) / Admission.startsPerTurn)
    // While others wait, the greedy one gets its share once a round.
    #expect(greedyInTurn[0] == Admission.share)
    let others = (1...200).compactMap { finished[$0] }
    let lastOfOthers = try #require(others.max())
    let greedyMeanwhile = greedyInTurn[...lastOfOthers].reduce(0, +)
    #expect(others.count == 200)
    #expect(others.min() == 0)
    #expect(greedyMeanwhile <= 3 * Admission.share, "\(greedyMeanwhile)")
    #expect(finished[0] == turn - 1)
  }
}
