public import Foundation
import Glibc
import Synchronization

/// A program that runs beside a test as a process of its own, read line by line; see ``withProgram(_:_:environment:_:)``.
///
/// Not Foundation's `Process`, whose pipes are inherited by whatever starts at the same moment, so that their end comes only
/// with a stranger's, and whose watched pipes, once closed, leave the next pipe of that number unwatched. Two threads
/// follow it, none of the shared pool. What it starts does not outlive it, and it does not outlive the test process,
/// however that ends.
public final class Program: Sendable {
  /// How it ended, and what it wrote that was not read before.
  public struct Outcome: Sendable {
    /// The exit code, or the negative number of the signal that ended it.
    public var code: Int32
    /// Lines of standard output.
    public var lines: [String]
    /// Lines of standard error.
    public var complaints: [String]
  }

  private enum State {
    case starting
    /// It has this process id.
    case running(Int32)
    /// Its process id may be another's by now.
    case reaped(Int32)
    /// All that it wrote is in the mailboxes, and its files are closed.
    case ended(Int32)
  }

  /// What it writes to standard output, line by line; finished when it has ended.
  public let lines = Mailbox<String>()
  /// What it writes to standard error, line by line; finished when it has ended.
  public let complaints = Mailbox<String>()
  private let state = Mutex(State.starting)
  private let waiters = Mutex<[CheckedContinuation<Int32, Never>]>([])
  private let input = Mutex<Int32?>(nil)

  private init() {}

  /// A program of this package, which is built beside the tests.
  public static func built(_ name: String) -> URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
  }

  // MARK: Talking to it

  /// Writes a line to its standard input.
  public func write(_ line: String) throws {
    try input.withLock { input in
      guard let input else { throw ProgramFailure("the input is closed") }
      try FileHandle(fileDescriptor: input, closeOnDealloc: false)
        .write(contentsOf: Data((line + "\n").utf8))
    }
  }

  /// Says that no input follows.
  public func closeInput() {
    input.withLock { input in
      if let input { close(input) }
      input = nil
    }
  }

  /// Sends it a signal, if it still runs.
  public func send(_ signal: Int32) {
    state.withLock { state in
      if case .running(let id) = state { kill(id, signal) }
    }
  }

  // MARK: Its end

  /// Waits for the end; returns the exit code, or the negative number of the signal that ended it.
  ///
  /// Not ended by cancellation, which ends the program.
  public func exitCode() async -> Int32 {
    await withCheckedContinuation { waiter in
      let code = state.withLock { state -> Int32? in
        if case .ended(let code) = state { return code }
        waiters.withLock { $0.append(waiter) }
        return nil
      }
      if let code { waiter.resume(returning: code) }
    }
  }

  /// Waits for the end, with the rest of what it writes.
  public func outcome() async -> Outcome {
    let code = await exitCode()
    return Outcome(code: code, lines: await lines.rest(), complaints: await complaints.rest())
  }

  // MARK: Its threads

  /// Starts a program on a thread that then waits for its end: the kernel kills the child with that thread.
  fileprivate static func start(
    _ executable: URL,
    _ arguments: [String],
    _ environment: [String: String]
  ) async throws -> Program {
    let program = Program()
    try await withCheckedThrowingContinuation { (started: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        do {
          let child = try ChildProcess(executable.path, arguments, environment)
          program.input.withLock { $0 = child.input }
          program.state.withLock { $0 = .running(child.id) }
          Thread.detachNewThread { program.read(child) }
          started.resume()
          program.wait(child)
        } catch {
          started.resume(throwing: error)
        }
      }
    }
    return program
  }

  private func wait(_ child: ChildProcess) {
    child.waitForEnd()
    state.withLock { $0 = .reaped(child.reap()) }
    child.tellEnd()
  }

  private func read(_ child: ChildProcess) {
    var output = LineReader(child.output, lines)
    var errors = LineReader(child.errors, complaints)
    while child.waitForOutput(output.isOpen, errors.isOpen) {
      output.read()
      errors.read()
    }
    // What it wrote is in the pipes now; who else may hold them does not matter.
    output.finish()
    errors.finish()
    closeInput()
    child.close()
    let (code, waiters) = state.withLock { state in
      guard case .reaped(let code) = state else { preconditionFailure("told too early") }
      state = .ended(code)
      return (code, self.waiters.withLock { $0 })
    }
    for waiter in waiters { waiter.resume(returning: code) }
  }
}

/// Runs `body` beside a program, and ends the program with it on every path, also when the test is cancelled.
///
/// The environment is that of the tests without `OBS_…` and `ONCE`, with these variables.
///
/// - Throws: what `body` throws, and ``ProgramFailure`` when the program cannot be started.
public func withProgram<Value>(
  _ executable: URL,
  _ arguments: [String] = [],
  environment: [String: String] = [:],
  _ body: (Program) async throws -> Value
) async throws -> Value {
  let inherited = ProcessInfo.processInfo.environment
    .filter { !$0.key.hasPrefix("OBS_") && $0.key != "ONCE" }
  let program = try await Program.start(
    executable,
    arguments,
    inherited.merging(environment) { $1 }
  )
  let result: Result<Value, any Error>
  do {
    result = .success(
      try await withTaskCancellationHandler {
        try await body(program)
      } onCancel: {
        program.send(SIGKILL)
      }
    )
  } catch {
    result = .failure(error)
  }
  program.send(SIGKILL)
  _ = await program.exitCode()
  return try result.get()
}

/// A program that cannot be started, or spoken to.
public struct ProgramFailure: Error, CustomStringConvertible {
  /// What went wrong.
  public let description: String

  init(_ description: String) { self.description = description }
}
