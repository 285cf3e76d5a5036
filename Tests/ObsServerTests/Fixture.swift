@testable import ObsServer

/// A small model that most server tests use.
@ObsActor @Observable
final class Board {
  struct Item: Sendable, Codable, Equatable {
    var id: Int
    var title: String
    var open: Bool
  }

  var items: [Item] = []
  var title = "board"
  var counter = 0
  var pair = (0, 0)

  nonisolated init() {}

  func add(_ title: String) {
    items.append(Item(id: items.count + 1, title: title, open: true))
  }
}

struct Close: Codable, Sendable { var id: Int }
struct Add: Codable, Sendable { var title: String }
struct Newest: Codable, Sendable { var limit: Int }

extension Server {
  /// Registers what the tests of ordinary behaviour use.
  func registerBoard(_ board: Board) async throws {
    try await query("openCount") { board.items.count { $0.open } }
    try await query("title") { board.title }
    try await query("counter") { board.counter }
    try await query("newest") { (arguments: Newest) in
      Array(board.items.suffix(arguments.limit).reversed())
    }
    try await command("add") { (arguments: Add) -> Int in
      board.add(arguments.title)
      return board.items.count
    }
    try await command("close") { (arguments: Close) in
      guard let index = board.items.firstIndex(where: { $0.id == arguments.id }) else {
        throw WireError(.notFound, "no item \(arguments.id)")
      }
      board.items[index].open = false
    }
    try await command("rename") { (arguments: Add) in board.title = arguments.title }
    try await command("bump") { board.counter += 1 }
  }
}

extension QueryEngine {
  /// An engine without sockets.
  nonisolated static func testing(
    publish: @escaping @Sendable (TurnOutput) -> Void
  ) -> QueryEngine {
    QueryEngine(
      language: Language(limits: Limits()),
      limits: Limits(),
      linger: .zero,
      metrics: Metrics(),
      log: Log(threshold: LogThreshold(.off)) { _ in },
      readiness: Readiness(),
      publish: publish
    )
  }
}
