import Foundation
import ObsTestSupport
import ObsWire
import Testing

/// The built obsd, ready, beside a test.
struct Obsd {
  static let file = Program.built("obsd")

  /// It ended before it was ready; what it said is in the failure.
  struct NotReady: Error { var outcome: Program.Outcome }

  let program: Program
  /// The address of its WebSocket.
  let url: String

  /// The beginning of its HTTP addresses, without a slash at the end.
  var base: String { "http" + url.dropFirst("ws".count).dropLast("/ws".count) }

  /// Runs `body` beside an obsd on a port that the system chooses, with a new data directory if no other is named.
  ///
  /// `through` is a program and its arguments that run the command line behind them.
  static func with<Value>(
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    through launcher: [String] = [],
    _ body: (Obsd) async throws -> Value
  ) async throws -> Value {
    guard arguments.contains("--data") || arguments.contains("--memory") else {
      return try await withDirectory { data in
        let arguments = ["--data", data] + arguments
        return try await with(arguments, environment: environment, through: launcher, body)
      }
    }
    let command = launcher + [file.path, "--port", "0"] + arguments
    return try await withProgram(
      URL(filePath: command[0]),
      Array(command.dropFirst()),
      environment: environment
    ) { program in
      guard let line = await program.lines.next() else {
        throw NotReady(outcome: await program.outcome())
      }
      let beginning = "listening on "
      try #require(line.hasPrefix(beginning), "\(line)")
      return try await body(
        Obsd(program: program, url: String(line.dropFirst(beginning.count)))
      )
    }
  }

  /// Runs `body` beside an obsd with that document.
  static func with<Value>(
    document: JSON,
    _ arguments: [String] = [],
    _ body: (Obsd) async throws -> Value
  ) async throws -> Value {
    try await withFolder { folder in
      let file = try folder.file("data.json", document.description)
      return try await with(["--load", file] + arguments, body)
    }
  }

  /// Runs obsctl against it to its end; `input` is its standard input.
  func ctl(_ arguments: String..., input: String? = nil) async throws -> Program.Outcome {
    try await ObsCtl.run(arguments + ["--url", url], input: input)
  }
}
