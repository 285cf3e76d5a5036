import ObsServer

/// Replays a history into a board, one transaction a turn.
struct Replay: Sendable {
  let history: History
  let board: Board
  /// Transactions a second.
  ///
  /// 0: as fast as each turn ends.
  let rate: Double

  /// Replays once and returns; the task's cancellation ends it early.
  @ObsActor
  func run() async throws {
    let start = ContinuousClock.now
    for (number, transaction) in history.transactions.enumerated() {
      if rate > 0 {
        try await Task.sleep(until: start + .seconds(Double(number) / rate), clock: .continuous)
      } else {
        // The turn must end, so that this transaction gets its evaluations.
        await Task.yield()
      }
      try Task.checkCancellation()
      try board.apply(transaction)
    }
  }

  /// Replays again and again, with a pause to look at the outcome.
  @ObsActor
  func loop() async throws {
    while true {
      try await run()
      try await Task.sleep(for: .seconds(5))
      board.clear()
    }
  }
}
