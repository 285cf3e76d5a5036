import Foundation
import Glibc
import ObsClient
import ObsTestSupport
import ObsWire
import Synchronization
import Testing

/// `kill -9` at any moment, again and again, on one data directory (`make crash ROUNDS=200` for many).
///
/// Writers send a commit again with its key until it is answered. The lists that they append to show whether each was applied
/// once: a commit that is lost leaves a gap, one that is applied twice stands there twice.
@Suite("Crashes", .timeLimit(.minutes(60)))
struct CrashTests {
  private static let writers = 8
  private static let watchers = 3

  /// What writers and watchers have seen, and found wrong.
  private final class Ledger: Sendable {
    struct State {
      /// The number of the last commit of each writer that was answered.
      var answered = [Int](repeating: 0, count: CrashTests.writers)
      var refused = 0
      var resent = 0
      var values = 0
      var problems: [String] = []
      var isOver = false
    }

    let state = Mutex(State())

    func note(_ problem: String) { state.withLock { $0.problems.append(problem) } }
    var isOver: Bool { state.withLock { $0.isOver } }
  }

  @Test(
    "what was answered is there exactly once, what was refused is not, and no watcher goes back"
  )
  func kill() async throws {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["OBS_CRASH_ROUNDS"].flatMap { Int($0) } ?? 4
    var generator = SeededGenerator(seed: testSeed())
    try await withDirectory { data in
      // Small snapshots: kills shall fall into their writing, and into the cutting of the log, too.
      let arguments = ["--data", data, "--data-snapshot-bytes", "20kB", "--drain", "0s"]
      let lists = JSON.Object((0..<Self.writers).map { (key: "w\($0)", value: []) })
      let begin = data + "-begin.json"
      try Data(JSON.object(["lists": .object(lists)]).encoded).write(to: URL(filePath: begin))
      defer { try? FileManager.default.removeItem(atPath: begin) }
      // Below the ports that the system hands out: between two lives of the daemon nobody else shall get it.
      let port = Int.random(in: 20_000..<30_000)
      let first = arguments + ["--load", begin, "--port", "\(port)"]
      let url = try await Obsd.with(first) { $0.url }

      let ledger = Ledger()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<Self.writers {
          group.addTask { try await Self.write(as: writer, to: url, ledger) }
        }
        for _ in 0..<Self.watchers { group.addTask { try await Self.watch(url, ledger) } }
        for round in 1...rounds {
          let life = Duration.milliseconds(Int64.random(in: 20...400, using: &generator))
          try await withProgram(Obsd.file, ["--port", "\(port)"] + arguments) { program in
            guard await program.lines.next() != nil else {
              return ledger.note("round \(round): \(await program.outcome())")
            }
            try await Task.sleep(for: life)  // Here time is the subject.
          }
          let sound = try await withProgram(Obsd.file, ["verify", data]) { await $0.outcome() }
          if sound.code != 0 { ledger.note("round \(round): verify: \(sound.complaints)") }
          let (answered, values) = ledger.state.withLock { ($0.answered.reduce(0, +), $0.values) }
          print(
            "crash: round \(round) of \(rounds): \(answered) commits answered, \(values) values seen"
          )
        }
        try await Obsd.with(["--port", "\(port)"] + arguments) { obsd in
          ledger.state.withLock { $0.isOver = true }
          for _ in 0..<Self.writers { try await group.next() }
          try await Self.compare(obsd, ledger)
          group.cancelAll()
        }
      }
      let state = ledger.state.withLock { $0 }
      #expect(state.problems == [])
      #expect(state.answered.allSatisfy { $0 > 0 } && state.values > 0 && state.refused > 0)
      print(
        "crash: \(rounds) kills, \(state.answered.reduce(0, +)) commits answered, \(state.resent) sent again, "
          + "\(state.refused) refused, \(state.values) values seen, \(state.problems.count) problems"
      )
    }
  }

  private static var configuration: ClientConfiguration {
    var configuration = ClientConfiguration()
    configuration.backoff.minimum = .milliseconds(10)
    configuration.backoff.maximum = .milliseconds(100)
    return configuration
  }

  /// Appends 1, 2, 3 … to a list of its own, each until it is answered; now and then a commit that must be refused.
  private static func write(as writer: Int, to url: String, _ ledger: Ledger) async throws {
    let client = Client(url, configuration)
    var number = 0
    while !ledger.isOver {
      number += 1
      let add = JSONPatchOperation.add("/lists/w\(writer)/-", .int(Int64(number)))
      if number % 5 == 1 {
        let never = JSONPatchOperation.add("/lists/w\(writer)/-", -1)
        let refused = try await send(
          [never, .test("/lists/w\(writer)/0", is: 0)],
          "r\(number)-w\(writer)",
          client,
          ledger
        )
        if refused { ledger.note("w\(writer): a commit whose test fails was accepted") }
      }
      guard try await send([add], "c\(number)-w\(writer)", client, ledger) else {
        return ledger.note("w\(writer): commit \(number) was refused")
      }
      ledger.state.withLock { $0.answered[writer] = number }
    }
    await client.close()
  }

  /// Sends a commit until it is decided; says whether it was applied.
  private static func send(
    _ operations: [JSONPatchOperation],
    _ key: String,
    _ client: Client,
    _ ledger: Ledger
  ) async throws -> Bool {
    while true {
      do throws(ClientError) {
        _ = try await client.patch(operations, key: key)
        return true
      } catch {
        switch error.code {
        case .conflict:
          ledger.state.withLock { $0.refused += 1 }
          return false
        case .connectionLost, .unavailable, .busy, .unreachable, .overloaded:
          ledger.state.withLock { $0.resent += 1 }
          await Task.yield()
        default:
          ledger.note("\(key): \(error)")
          return false
        }
      }
    }
  }

  /// Watches the lengths of all lists: also after a restart no value is older than one that was seen.
  private static func watch(_ url: String, _ ledger: Ledger) async throws {
    let client = Client(url, configuration)
    var newest = [Int64](repeating: 0, count: writers)
    let lengths = (0..<writers).map { "length(lists.w\($0))" }.joined(separator: ", ")
    var values = client.values(query: "[\(lengths)]", as: [Int64].self).makeAsyncIterator()
    do throws(ClientError) {
      while let value = try await values.next() {
        ledger.state.withLock { $0.values += 1 }
        if value.count != writers || zip(value, newest).contains(where: { $0 < $1 }) {
          ledger.note("a watcher saw \(value) after \(newest)")
        }
        newest = value
      }
    } catch {
      if error.code != .cancelled { ledger.note("a watcher: \(error)") }
    }
    await client.close()
  }

  /// Compares the lists with what was answered.
  private static func compare(_ obsd: Obsd, _ ledger: Ledger) async throws {
    let answered = ledger.state.withLock { $0.answered }
    for (writer, last) in answered.enumerated() {
      let outcome = try await obsd.ctl("get", "lists.w\(writer)", "--format", "value")
      let list = try JSON(parsing: try #require(outcome.lines.first))
      let expected = JSON.array((0..<last).map { .int(Int64($0 + 1)) })
      if list != expected {
        ledger.note(
          "w\(writer): \(last) commits were answered, but the list is \(list.description.suffix(200))"
        )
      }
    }
  }
}
