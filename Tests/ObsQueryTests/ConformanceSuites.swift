import Foundation
import ObsQuery
import ObsWire
import Testing

/// The suites of others, read from the folder that `OBS_CONFORMANCE` names; never copied here.
enum ConformanceSuites {
  static let folder = ProcessInfo.processInfo.environment["OBS_CONFORMANCE"]
  static let comment: Comment = "set OBS_CONFORMANCE to the folder of the suites to run this"

  struct Case: Sendable {
    var file: String
    var given: JSON
    var expression: String
    var variables: JSON.Object
    /// The value; nil for an error, or where the text only has to be accepted.
    var result: JSON?
    var error: String?
    var steps: [JSON]
  }

  static func cases(_ directory: String) throws -> [Case] {
    let url = URL(filePath: try #require(folder)).appending(path: directory)
    let files = try FileManager.default.contentsOfDirectory(atPath: url.path)
    var cases: [Case] = []
    for file in files.sorted() where file.hasSuffix(".json") {
      let bytes = [UInt8](try Data(contentsOf: url.appending(path: file)))
      let suites = try #require(try JSON(parsing: bytes, limits: .unlimited).arrayValue)
      for suite in suites {
        for test in try #require(suite["cases"]?.arrayValue) {
          cases.append(
            Case(
              file: "\(directory)/\(file)",
              given: suite["given"] ?? .null,
              expression: try #require(test["expression"]?.stringValue),
              variables: test["variables"]?.objectValue ?? [:],
              result: test["result"],
              error: test["error"]?.stringValue,
              steps: test["steps"]?.arrayValue ?? []
            )
          )
        }
      }
    }
    return cases
  }
}

extension ConformanceSuites.Case {
  /// What the language says: the value, or the category of the error.
  func outcome(
    over root: Value,
    limits: ExpressionLimits = .unlimited,
    evaluation: EvaluationLimits = .unlimited,
    escapes: RawStringEscapes = .official
  ) -> Result<JSON, QueryError> {
    Result { () throws(QueryError) -> JSON in
      let expression = try Expression(parsing: expression, limits: limits, escapes: escapes)
      let query = try PreparedQuery(expression, variables: variables)
      return try query.evaluate(root, limits: evaluation).json
    }
  }

  /// Whether the outcome is the expected one; cases without a result or an error only have to be accepted.
  func agrees(_ outcome: Result<JSON, QueryError>) -> Bool {
    switch outcome {
    case .success(let value): error == nil && (result.map { $0 == value } ?? true)
    case .failure(let failure):
      failure.code.rawValue == error && failure.line > 0 && failure.column > 0
    }
  }
}
