import Foundation
import ObsServer
import ObsTestSupport
import ObsWire
import Synchronization
import Testing

@testable import obsctl

/// The built program, run as a process.
@Suite(.timeLimit(.minutes(2)))
struct ObsCtlTests {
  /// How a run of obsctl ended.
  struct Outcome {
    var code: Int32
    var output: String
    var errors: String

    var lines: [Substring] { output.split(separator: "\n") }
  }

  /// obsctl while it runs.
  struct Running {
    let process: Process
    let output = Pipe()
    let errors = Pipe()
    private let ended: AsyncStream<Int32>

    /// Starts obsctl beside the test bundle, with no environment but the given one.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
      process = Process()
      process.executableURL = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "obsctl")
      process.arguments = arguments
      process.environment = environment
      process.standardOutput = output
      process.standardError = errors
      let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
      self.ended = ended
      process.terminationHandler = { process in
        continuation.yield(process.terminationStatus)
        continuation.finish()
      }
      try process.run()
    }

    func end() async throws -> Outcome {
      var code: Int32 = -1
      for await status in ended { code = status }
      return Outcome(
        code: code,
        output: String(
          decoding: try output.fileHandleForReading.readToEnd() ?? Data(),
          as: UTF8.self
        ),
        errors: String(
          decoding: try errors.fileHandleForReading.readToEnd() ?? Data(),
          as: UTF8.self
        )
      )
    }

    /// The next piece that it writes; empty at the end.
    func piece() async -> String {
      // A blocking read has its own thread.
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let data = output.fileHandleForReading.availableData
          continuation.resume(returning: String(decoding: data, as: UTF8.self))
        }
      }
    }
  }

  private func run(
    _ arguments: String...,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await Running(arguments, environment: environment).end()
  }

  /// A server with one of everything.
  private func withOperations(_ body: (String) async throws -> Void) async throws {
    try await withServer { server, url in
      try await server.query("answer") { 42 }
      try await server.query("hello") { (arguments: [String: String]) in
        "hello \(arguments["name"] ?? "")"
      }
      try await server.command("add") { (numbers: [String: Int], _: Caller) in
        numbers.values.reduce(0, +)
      }
      try await server.stream("numbers") {
        AsyncStream<Int> { continuation in
          for number in 1...3 { continuation.yield(number) }
          continuation.finish()
        }
      }
      try await body(url)
    }
  }

  @Test("watch writes one JSON object a line, and ends at --count")
  func watch() async throws {
    try await withOperations { url in
      let outcome = try await run("watch", "--operation", "answer", "--count", "1", "--url", url)
      #expect(outcome.code == 0)
      #expect(outcome.lines.count == 1)
      let line = try JSON(parsing: String(try #require(outcome.lines.first)))
      #expect(line["operation"] == "answer")
      #expect(line["data"] == 42)
      #expect(line["rev"]?.intValue != nil)
    }
  }

  @Test("the address comes from OBS_URL, arguments from --var, values alone with --format value")
  func conveniences() async throws {
    try await withOperations { url in
      let outcome = try await run(
        "watch",
        "hello",
        "--var",
        "name=kim",
        "--count",
        "1",
        "--format",
        "value",
        environment: ["OBS_URL": url]
      )
      #expect(outcome.code == 0)
      #expect(outcome.output == "\"hello kim\"\n")
    }
  }

  @Test("call prints the answer of a command, and the value of a query")
  func call() async throws {
    try await withOperations { url in
      let command = try await run("call", "add", "--variables", #"{"a":1,"b":2}"#, "--url", url)
      #expect((command.code, command.output) == (0, "3\n"))
      let query = try await run("call", "answer", "--url", url)
      #expect((query.code, query.output) == (0, "42\n"))
    }
  }

  @Test("events writes every event, and ends with the stream")
  func events() async throws {
    try await withOperations { url in
      let outcome = try await run("events", "numbers", "--url", url)
      #expect(outcome.code == 0)
      let data = try outcome.lines.map { try JSON(parsing: String($0))["data"] }
      #expect(data == [1, 2, 3])
    }
  }

  @Test("describe lists the operations")
  func describe() async throws {
    try await withOperations { url in
      let outcome = try await run("describe", "--url", url)
      #expect(outcome.code == 0)
      #expect(outcome.output.contains("\"answer\""))
    }
  }

  @Test("64 and what to do for a command line that makes no sense")
  func usage() async throws {
    let outcome = try await run("watch", "--frmat", "x")
    #expect(outcome.code == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("no option --frmat"))
    #expect(try await run("describe", "--url", "nonsense").code == 64)
    #expect(try await run("--help").code == 0)
    #expect(try await run("--version").output == "\(Help.version)\n")
  }

  @Test("65 for an unknown operation and for wrong arguments")
  func badData() async throws {
    try await withOperations { url in
      let unknown = try await run("watch", "anwser", "--url", url)
      #expect(unknown.code == 65)
      #expect(unknown.errors.contains("obsctl describe"))
      let wrong = try await run("call", "add", "--var", "a=text", "--url", url)
      #expect(wrong.code == 65)
    }
  }

  @Test("69 where nobody answers")
  func unavailable() async throws {
    let outcome = try await run("call", "x", "--url", "ws://127.0.0.1:1/ws")
    #expect(outcome.code == 69)
    #expect(outcome.errors.contains("127.0.0.1:1"))
  }

  @Test("75 when --timeout is over")
  func timeout() async throws {
    try await withOperations { url in
      let outcome = try await run("watch", "answer", "--timeout", "0.2", "--url", url)
      #expect(outcome.code == 75)
      #expect(outcome.lines.count <= 1)
    }
  }

  @Test("130 after Ctrl-C, with every line flushed before")
  func interrupt() async throws {
    try await withOperations { url in
      let running = try Running(["watch", "answer", "--format", "value", "--url", url])
      // The line is here while the program still runs: it was flushed.
      #expect(await running.piece() == "42\n")
      running.process.interrupt()
      #expect(try await running.end().code == 130)
    }
  }
}
