import Foundation
import ObsServer
import ObsTestSupport
import ObsWire
import Testing

/// The built obsctl, run against a server with a document.
struct ObsCtl {
  let url: String
  let server: Server

  static let issues: JSON = [
    "issues": [
      "i01": ["id": "i01", "state": "open", "title": "Crash", "votes": 12],
      "i02": ["id": "i02", "state": "open", "title": "Dark mode", "votes": 31],
      "i03": ["id": "i03", "state": "closed", "title": "Typo", "votes": 1],
    ]
  ]

  /// Runs a server with a document for the time of the body.
  static func with(
    _ json: JSON = issues,
    _ configuration: ServerConfiguration = .testing(),
    _ body: (ObsCtl, Document) async throws -> Void
  ) async throws {
    let document = try await Document(json)
    try await withServer(configuration) { server, url in
      try await server.host(document)
      try await server.query("answer") { 42 }
      try await body(ObsCtl(url: url, server: server), document)
    }
  }

  /// Runs a command to its end; `input` is its standard input.
  func run(_ arguments: String..., input: String? = nil) async throws -> Program.Outcome {
    try await Self.run(arguments + ["--url", url], input: input)
  }

  /// Runs a command that may go on; the body reads what it writes.
  func start<Value>(
    _ arguments: String...,
    body: (Program) async throws -> Value
  ) async throws -> Value {
    try await withProgram(Program.built("obsctl"), arguments + ["--url", url], body)
  }

  /// Runs a command without a server.
  static func offline(_ arguments: String..., input: String? = nil) async throws -> Program.Outcome
  {
    try await run(arguments, input: input)
  }

  /// Runs a command to its end.
  static func run(_ arguments: [String], input: String?) async throws -> Program.Outcome {
    try await withProgram(Program.built("obsctl"), arguments) { program in
      // A program that has ended already wanted none of it.
      if let input { try? program.write(input) }
      program.closeInput()
      return await program.outcome()
    }
  }
}

extension Document {
  /// All of it.
  @ObsActor var json: JSON { snapshot(JSONPointer(tokens: [])) ?? .null }
}

extension Program.Outcome {
  /// The first line of standard output as JSON.
  func json() throws -> JSON { try JSON(parsing: lines.first ?? "") }

  /// What it wrote to standard error.
  var complaint: String { complaints.joined(separator: "\n") }
}
