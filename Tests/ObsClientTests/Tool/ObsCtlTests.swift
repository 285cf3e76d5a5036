import Foundation
import ObsServer
import ObsTestSupport
import ObsWire
import Testing

@testable import obsctl

/// The built program, run as a process.
@Suite(.timeLimit(.minutes(5)))
struct ObsCtlTests {
  private func run(
    _ arguments: String...,
    environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    try await withProgram(Program.built("obsctl"), arguments, environment: environment) {
      await $0.outcome()
    }
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
      try await server.stream("one") {
        AsyncStream<Int> { $0.yield(1) }
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
      let line = try JSON(parsing: try #require(outcome.lines.first))
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
        "--operation",
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
      #expect(outcome.lines == ["\"hello kim\""])
    }
  }

  @Test("call prints the answer of a command, and the value of a query")
  func call() async throws {
    try await withOperations { url in
      let command = try await run("call", "add", "--variables", #"{"a":1,"b":2}"#, "--url", url)
      #expect(command.code == 0)
      #expect(command.lines == ["3"])
      let query = try await run("call", "answer", "--url", url)
      #expect(query.code == 0)
      #expect(query.lines == ["42"])
    }
  }

  @Test("events writes every event, and ends with the stream")
  func events() async throws {
    try await withOperations { url in
      let outcome = try await run("events", "numbers", "--url", url)
      #expect(outcome.code == 0)
      let data = try outcome.lines.map { try JSON(parsing: $0)["data"] }
      #expect(data == [1, 2, 3])
    }
  }

  @Test("describe lists the operations")
  func describe() async throws {
    try await withOperations { url in
      let outcome = try await run("describe", "--url", url)
      #expect(outcome.code == 0)
      #expect(outcome.lines.contains("  query    answer"))
    }
  }

  @Test("64 and what to do for a command line that makes no sense")
  func usage() async throws {
    let outcome = try await run("watch", "--frmat", "x")
    #expect(outcome.code == 64)
    #expect(outcome.lines == [])
    #expect(outcome.complaints.first?.contains("no option --frmat") == true)
    #expect(try await run("describe", "--url", "nonsense").code == 64)
    #expect(try await run("--help").code == 0)
    #expect(try await run("--version").lines == [Help.version])
  }

  @Test("65 for an unknown operation and for wrong arguments")
  func badData() async throws {
    try await withOperations { url in
      let unknown = try await run("watch", "--operation", "anwser", "--url", url)
      #expect(unknown.code == 65)
      #expect(unknown.complaints.joined().contains("obsctl describe"))
      let wrong = try await run("call", "add", "--var", "a=text", "--url", url)
      #expect(wrong.code == 65)
    }
  }

  @Test("69 where nobody answers")
  func unavailable() async throws {
    let outcome = try await run("call", "x", "--url", "ws://127.0.0.1:1/ws")
    #expect(outcome.code == 69)
    #expect(outcome.complaints.joined().contains("127.0.0.1:1"))
  }

  @Test("75 when --timeout is over")
  func timeout() async throws {
    try await withOperations { url in
      let outcome = try await run(
        "watch",
        "--operation",
        "answer",
        "--timeout",
        "0.2",
        "--url",
        url
      )
      #expect(outcome.code == 75)
      #expect(outcome.lines.count <= 1)
    }
  }

  @Test("130 after Ctrl-C, with every line flushed before")
  func interrupt() async throws {
    try await withOperations { url in
      let arguments = ["watch", "--operation", "answer", "--format", "value", "--url", url]
      try await withProgram(Program.built("obsctl"), arguments) { program in
        // The line is here while the program still runs: it was flushed.
        #expect(await program.lines.next() == "42")
        program.send(SIGINT)
        #expect(await program.exitCode() == 130)
      }
    }
  }

  @Test(
    "0 when nobody reads any more, without another value to write",
    arguments: [("watch --operation", "answer", "42"), ("events", "one", "1")]
  )
  func readerGone(command: String, operation: String, line: String) async throws {
    try await withOperations { url in
      let program = Program.built("obsctl").path
      let pipeline = """
        '\(program)' \(command) \(operation) --format value --url '\(url)' | head -n 1
        exit ${PIPESTATUS[0]}
        """
      let outcome = try await withProgram(URL(filePath: "/bin/bash"), ["-c", pipeline]) {
        await $0.outcome()
      }
      #expect(outcome.code == 0)
      #expect(outcome.lines == [line])
    }
  }
}
