import Foundation
import ObsWire
import Testing

/// The suites of others, read from the folder that `OBS_CONFORMANCE` names; never copied here.
enum Conformance {
  static let folder = ProcessInfo.processInfo.environment["OBS_CONFORMANCE"]
  static let comment: Comment = "set OBS_CONFORMANCE to the folder of the suites to run this"

  static func cases(_ path: String) throws -> [JSON] {
    let file = URL(filePath: try #require(folder)).appending(path: path)
    return try #require(
      try JSON(parsing: [UInt8](Data(contentsOf: file)), limits: .unlimited)["cases"]?.arrayValue
    )
  }

  /// The bytes of a case: `text`, `base64`, or `repeat`.
  static func bytes(_ test: JSON) throws -> [UInt8] {
    if let text = test["text"]?.stringValue { return Array(text.utf8) }
    if let base64 = test["base64"]?.stringValue {
      return [UInt8](try #require(Data(base64Encoded: base64)))
    }
    let part = try #require(test["repeat"]?["text"]?.stringValue)
    let count = try #require(test["repeat"]?["count"]?.intValue)
    let rest = test["repeat"]?["then"]?.stringValue ?? ""
    return Array((String(repeating: part, count: Int(count)) + rest).utf8)
  }
}

@Suite(.timeLimit(.minutes(5)), .enabled(if: Conformance.folder != nil, Conformance.comment))
struct JSONConformanceTests {
  @Test(arguments: [
    ("json-parsing/test_parsing.json", 318), ("json-parsing/test_transform.json", 22),
  ])
  func `verdicts are those of jansson's strict mode`(path: String, count: Int) throws {
    let cases = try Conformance.cases(path)
    #expect(cases.count == count)
    for test in cases {
      let name = try #require(test["name"]?.stringValue)
      let verdict: String
      do {
        _ = try JSON(parsing: Conformance.bytes(test), limits: .unlimited)
        verdict = "accept"
      } catch is JSONError {
        verdict = "reject"
      }
      var expected = test["jansson214"]?["strict"]?.stringValue
      // The one exception: `123` and a NUL byte, which jansson takes and no other parser does.
      if test["expect"]?.stringValue == "reject" { expected = "reject" }
      #expect(verdict == expected, "\(name)")
    }
  }

  @Test func `what is accepted survives writing and reading`() throws {
    for path in ["json-parsing/test_parsing.json", "json-parsing/test_transform.json"] {
      for test in try Conformance.cases(path) {
        guard let value = try? JSON(parsing: Conformance.bytes(test), limits: .unlimited) else {
          continue
        }
        #expect(try JSON(parsing: value.encoded, limits: .unlimited) == value)
      }
    }
  }

  @Test func `with the limits of the server nothing else is accepted`() throws {
    for test in try Conformance.cases("json-parsing/test_parsing.json") {
      let bytes = try Conformance.bytes(test)
      guard (try? JSON(parsing: bytes)) != nil else { continue }
      #expect(throws: Never.self) { try JSON(parsing: bytes, limits: .unlimited) }
    }
  }
}
