import Foundation
import ObsTestSupport

/// A running `evolution-board`, the built program beside the tests, read line by line.
final class EvolutionBoardProgram: Sendable {
  /// What it writes to standard output; ends when the program does.
  let lines = Mailbox<String>()
  /// What it writes to standard error; ends when the program does.
  let complaints = Mailbox<String>()
  private let process = Locked(Process())
  private let exits = Mailbox<Int32>()

  /// Starts it with arguments, and with these variables as its only `OBS_…` and `ONCE` ones.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    let output = Pipe()
    let errors = Pipe()
    follow(output, into: lines)
    follow(errors, into: complaints)
    let exits = exits
    try process.withLock { process in
      process.executableURL = Bundle.main.bundleURL.appending(path: "evolution-board")
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment
        .filter { !$0.key.hasPrefix("OBS_") && $0.key != "ONCE" }
        .merging(environment) { _, new in new }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = errors
      process.terminationHandler = { process in
        // A signal that was not handled counts as a failure of its own kind.
        let wasSignal = process.terminationReason == .uncaughtSignal
        exits.post(wasSignal ? -process.terminationStatus : process.terminationStatus)
        exits.finish()
      }
      try process.run()
    }
  }

  /// Waits for the end.
  ///
  /// Once only. Returns the exit code, or the negative number of the signal that ended it.
  func exitCode() async -> Int32? { await exits.next() }

  /// Asks it to end, as systemd does.
  func terminate() { process.withLock { $0.terminate() } }

  /// Presses Ctrl-C.
  func interrupt() { process.withLock { $0.interrupt() } }

  private func follow(_ pipe: Pipe, into mailbox: Mailbox<String>) {
    let rest = Locked<[UInt8]>([])
    pipe.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      let lines = rest.withLock { rest in
        rest += data
        var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let unfinished = parts.removeLast()
        if data.isEmpty, !unfinished.isEmpty { parts.append(unfinished) }
        rest = Array(unfinished)
        return parts.map { String(decoding: $0, as: UTF8.self) }
      }
      for line in lines { mailbox.post(line) }
      guard data.isEmpty else { return }
      handle.readabilityHandler = nil
      mailbox.finish()
    }
  }
}
