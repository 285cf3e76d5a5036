import ObsClient
import ObsServer

/// The demo: a server, clients on sockets of their own, and a look at what they are shown.
struct Demo {
  /// What can end while the demo runs.
  private enum Part {
    case replay, server, other
  }

  /// How long the slow client rests after each value.
  static let rest: Duration = .milliseconds(250)

  private let settings: Settings
  private let history: History
  private let expectation: Expectation
  /// Whether it ends with the replay, instead of with Ctrl-C.
  private let endsByItself: Bool

  init(_ settings: Settings, _ history: History) {
    self.settings = settings
    self.history = history
    expectation = Expectation(history, limit: Viewer.limit)
    endsByItself = settings.once || !Console.isTerminal
  }

  /// Runs to the end of the replay or until a signal; true if all was as it must be.
  func run() async throws -> Bool {
    var configuration = settings.configuration
    configuration.drainTime = .zero
    let board = await Board()
    let server = try await BoardServer.make(
      configuration,
      serving: board,
      transactions: history.transactions.count
    )
    let address = try await server.start()
    let viewers = [Duration.zero, .zero, .zero, Demo.rest].map { rest in
      Viewer(Client(address.url), expectation, rest: rest)
    }
    let report = try await run(server, board, viewers, Stage(server, viewers, address))
    Console.write(report.text)
    return report.isGood || !(endsByItself || report.isComplete)
  }

  private func run(
    _ server: Server,
    _ board: Board,
    _ viewers: [Viewer],
    _ stage: Stage
  ) async throws -> Report {
    let rate = settings.rate ?? (settings.once || !Console.isTerminal ? 200 : 50)
    let replay = Replay(history: history, board: board, rate: rate)
    let (hearing, begins) = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Part.self) { group in
      group.addTask {
        defer { begins.finish() }
        try await server.run { _ in begins.finish() }
        return .server
      }
      // From here on a signal ends the demo with its summary.
      for await _ in hearing {}
      for viewer in viewers {
        group.addTask {
          await viewer.run()
          return .other
        }
      }
      try await wait(for: "the clients' first values") { viewers.allSatisfy(\.seen.isComplete) }
      group.addTask {
        try await replay.run()
        return .replay
      }
      group.addTask {
        await stage.play()
        return .other
      }
      parts: while let part = try await group.next() {
        switch part {
        case .replay:
          try? await wait(for: "the last values") { viewers.allSatisfy(isSettled) }
          if endsByItself { break parts }
        case .server: break parts
        case .other: break
        }
      }
      let report = await Report(server.statistics(), viewers, expectation, edits: board.edits)
      group.cancelAll()
      for viewer in viewers { await viewer.client.close() }
      await server.stop()
      return report
    }
  }

  private func isSettled(_ viewer: Viewer) -> Bool {
    let seen = viewer.seen
    return seen.events >= expectation.transitions && expectation.differences(seen).isEmpty
  }

  /// Waits until something is so, for at most 10 s.
  private func wait(for what: String, until isSo: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while !isSo() {
      if ContinuousClock.now > end { throw DemoError("\(what) did not come within 10 s") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}

/// Why the demo could not be shown.
struct DemoError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
