import Foundation
import ObsServer

/// The program: reads its settings, then serves or shows the demo.
@main
enum EvolutionBoard {
  static func main() async {
    do {
      let settings = try Settings(
        Array(CommandLine.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment
      )
      if settings.help { return Console.write(Help.text) }
      let history = try History()
      if settings.demo {
        if try await !Demo(settings, history).run() { exit(1) }
      } else {
        try await serve(settings, history)
      }
    } catch let error as UsageError {
      Console.complain(error.message)
      exit(64)
    } catch let error as ServerError {
      Console.complain(error.message)
      exit(1)
    } catch {
      Console.complain("\(error)")
      exit(1)
    }
  }

  /// Serves until a signal comes; the replay goes on beside it.
  private static func serve(_ settings: Settings, _ history: History) async throws {
    let board = await Board()
    let server = try await BoardServer.make(
      settings.configuration,
      serving: board,
      transactions: history.transactions.count
    )
    let replay = Replay(history: history, board: board, rate: settings.rate ?? 50)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await settings.loop ? replay.loop() : replay.run()
        return false
      }
      group.addTask {
        try await server.run { Console.line("listening on \($0.url)") }
        return true
      }
      while try await group.next() == false {}
      group.cancelAll()
    }
  }
}
