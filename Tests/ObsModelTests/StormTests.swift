import ObsTestSupport
import ObsModel
import Observation
import Testing

/// Random changes from several tasks, with queries that come and go: nothing last is lost.
@Suite("Storms", .timeLimit(.minutes(5)))
@ObsActor
struct StormTests {
  @Test("After a storm each query has the last value", arguments: Way.allCases)
  func lastValue(_ way: Way) async throws {
    let seed = testSeed()
    let board = Board()
    let queries = (0..<20).map { start in
      Following(way) { board.sum(from: start % Board.size, steps: 1 + start % 4) }
    }
    defer { for query in queries { query.end() } }
    await storm(board, seed: seed) { board, random in board.change(&random) }
    for (start, query) in queries.enumerated() {
      let last = board.sum(from: start % Board.size, steps: 1 + start % 4)
      // A lost last value shows as the time limit of the suite.
      while try await query.next() != .value(last) {}
    }
  }

  @Test("At each turn end of a storm each open query has the value of now; all are freed")
  func everyTurn() async throws {
    let seed = testSeed()
    let board = Board()
    let desk = Desk(board)
    await withTurnEnds { _ in
      desk.check()
    } _: {
      await storm(board, seed: seed) { _, random in desk.step(&random) }
    }
    #expect(desk.broken == 0, "OBS_SEED=\(seed)")
    #expect(desk.checks > 0)
    desk.closeAll()
    for _ in 0..<desk.opened { try await desk.freed.next() }
    #expect(desk.late == 0, "OBS_SEED=\(seed)")
  }

  /// Runs `step` a thousand times from each of four tasks, some of them in one transaction.
  private nonisolated func storm(
    _ board: Board,
    seed: UInt64,
    _ step: @escaping @ObsActor @Sendable (Board, inout SeededGenerator) -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      for producer in 0..<4 {
        group.addTask { @concurrent in
          var random = SeededGenerator(seed: seed &+ UInt64(producer))
          for _ in 0..<250 {
            random = await transaction(board, random, step)
            if Bool.random(using: &random) { await Task.yield() }
          }
        }
      }
    }
  }
}

/// One to seven steps without a suspension; returns the generator as they left it.
@ObsActor
private func transaction(
  _ board: Board,
  _ random: SeededGenerator,
  _ step: @ObsActor (Board, inout SeededGenerator) -> Void
) -> SeededGenerator {
  var random = random
  for _ in 0..<Int.random(in: 1...7, using: &random) { step(board, &random) }
  return random
}

/// Cells that point at each other: what a query reads depends on what it read before.
@ObsActor
private final class Board {
  nonisolated static let size = 12

  @ObsActor @Observable
  final class Cell {
    var number = 0
    var next: Int

    init(next: Int) { self.next = next }
  }

  let cells = (0..<Board.size).map { Cell(next: ($0 + 1) % Board.size) }

  func sum(from start: Int, steps: Int) -> Int {
    var sum = 0
    var cell = cells[start]
    for _ in 0..<steps {
      sum += cell.number
      cell = cells[cell.next]
    }
    return sum
  }

  func change(_ random: inout SeededGenerator) {
    let cell = cells[Int.random(in: 0..<Board.size, using: &random)]
    if Int.random(in: 0..<4, using: &random) == 0 {
      cell.next = Int.random(in: 0..<Board.size, using: &random)
    } else {
      cell.number = Int.random(in: 0..<1000, using: &random)
    }
  }
}

/// Queries that a storm opens and closes, each with what it delivered last.
@ObsActor
private final class Desk {
  private struct Query {
    let start: Int
    let steps: Int
    let last: Box<Int?>
    let open: Box<Bool>
    let evaluation: any Evaluation
  }

  private let board: Board
  private var queries: [Query] = []
  let freed = Inbox<Void>()
  private(set) var opened = 0
  private(set) var checks = 0
  private(set) var broken = 0
  private(set) var late = 0

  init(_ board: Board) { self.board = board }

  func step(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: open(&random)
    case 1 where !queries.isEmpty: close(Int.random(in: 0..<queries.count, using: &random))
    case 2 where !queries.isEmpty:
      queries[Int.random(in: 0..<queries.count, using: &random)].evaluation.wake()
    default: board.change(&random)
    }
  }

  func check() {
    checks += 1
    let right = queries.allSatisfy { $0.last.value == board.sum(from: $0.start, steps: $0.steps) }
    if !right { broken += 1 }
  }

  func closeAll() { while !queries.isEmpty { close(queries.count - 1) } }

  private func close(_ index: Int) {
    let query = queries.remove(at: index)
    query.open.value = false
    query.evaluation.end()
  }

  private func open(_ random: inout SeededGenerator) {
    let start = Int.random(in: 0..<Board.size, using: &random)
    let steps = Int.random(in: 1...5, using: &random)
    let last = Box<Int?>(nil)
    let open = Box(true)
    let freed = freed
    let goodbye = Goodbye { freed.put(()) }
    let evaluation = ObservationsEvaluation { [board] in
      withExtendedLifetime(goodbye) { board.sum(from: start, steps: steps) }
    } deliver: { [weak self] value in
      if !open.value { self?.late += 1 }
      last.value = value
      return true
    }
    opened += 1
    queries.append(
      Query(start: start, steps: steps, last: last, open: open, evaluation: evaluation)
    )
  }
}
