import Foundation
import ObsTestSupport

/// A running program, read line by line.
final class Program: Sendable {
  /// What it writes to standard output; ends when the program does.
  let lines = Mailbox<String>()
  /// What it writes to standard error; ends when the program does.
  let complaints = Mailbox<String>()
  /// Its process id.
  let id: Int32
  private let input: FileHandle
  private let process = Locked(Process())
  private let exits = Mailbox<Int32>()

  /// Starts it, with the environment of the tests and these variables.
  init(_ executable: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
    let input = privatePipe()
    let output = privatePipe()
    let errors = privatePipe()
    self.input = input.fileHandleForWriting
    Self.follow(output, into: lines)
    Self.follow(errors, into: complaints)
    id = try process.withLock { [exits] process in
      process.executableURL = executable
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardInput = input
      process.standardOutput = output
      process.standardError = errors
      process.terminationHandler = { process in
        let wasSignal = process.terminationReason == .uncaughtSignal
        exits.post(wasSignal ? -process.terminationStatus : process.terminationStatus)
        exits.finish()
      }
      try process.run()
      return process.processIdentifier
    }
  }

  /// Writes a line to its standard input.
  func write(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

  /// Says that no input follows.
  func closeInput() throws { try input.close() }

  /// Sends it a signal.
  func signal(_ number: Int32) { process.withLock { if $0.isRunning { kill(id, number) } } }

  /// Waits for the end, once; returns the exit code, or the negative number of the signal that ended it.
  func exitCode() async -> Int32? { await exits.next() }

  /// The rest of what it writes to standard error.
  func allComplaints() async -> String {
    var text = ""
    while let line = await complaints.next() { text += line + "\n" }
    return text
  }

  private static func follow(_ pipe: Pipe, into mailbox: Mailbox<String>) {
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

/// Runs `body` beside a program, which is killed afterwards if it still runs, also when it is stopped.
func withProgram(
  _ executable: URL,
  _ arguments: [String],
  environment: [String: String] = [:],
  _ body: (Program) async throws -> Void
) async throws {
  let program = try Program(executable, arguments, environment: environment)
  do {
    try await body(program)
  } catch {
    program.signal(SIGKILL)
    throw error
  }
  program.signal(SIGKILL)
}
