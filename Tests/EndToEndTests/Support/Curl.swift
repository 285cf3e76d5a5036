import Foundation
import ObsTestSupport
import ObsWire
import Testing

/// Requests by the program `curl`.
enum Curl {
  /// What came.
  struct Answer {
    var status: String
    /// By name in lower case.
    var headers: [String: String] = [:]
    var lines: [String] = []

    /// Reads what `curl -i` prints.
    init(_ output: [String]) throws {
      let head = output.prefix { $0 != "\r" }
      status = try #require(head.first?.split(separator: " ").dropFirst().first.map(String.init))
      for line in head.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        try #require(parts.count == 2, "\(line)")
        headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
      }
      lines = Array(output.dropFirst(head.count + 1))
    }

    var body: String { lines.joined(separator: "\n") }
    var json: JSON { get throws { try JSON(parsing: body) } }
    /// The code of the first error.
    var code: JSON? { try? json["errors"]?[0]?["extensions"]?["code"] }
  }

  /// Asks; `input` is what `@-` names.
  static func ask(_ arguments: String..., input: String? = nil) async throws -> Answer {
    try await ask(arguments, input: input)
  }

  /// The same with a list of arguments.
  static func ask(_ arguments: [String], input: String? = nil) async throws -> Answer {
    // No `Expect: 100-continue`, so that there is one head.
    let all = ["-sS", "-i", "-H", "Expect:"] + arguments
    return try await withProgram(try Tools.path("curl"), all) { curl in
      if let input { try? curl.write(input) }
      curl.closeInput()
      let outcome = await curl.outcome()
      #expect(outcome.code == 0, "\(arguments): \(outcome.complaints)")
      return try Answer(outcome.lines)
    }
  }

  /// Sends a JSON Patch of the document.
  static func patch(_ obsd: Obsd, _ operations: String) async throws -> Answer {
    let type = ["-H", "Content-Type: application/json-patch+json"]
    let line = ["-X", "PATCH", obsd.base + "/data", "--data-binary", "@-"]
    return try await ask(line + type, input: operations)
  }
}

extension ProtocolClient {
  /// Sends a commit `p` whose operations are spelled already: anything can be said, and what is large costs nothing.
  func patch(text operations: String) {
    let payload =
      #"{"query":"","operationName":"$patch","variables":{"ops":\#(operations)}}"#
    send(text: Array(#"{"id":"p","type":"subscribe","payload":\#(payload)}"#.utf8))
  }
}
