import Foundation
import ObsModel
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: Conformance.folder != nil, Conformance.comment))
@ObsActor
struct DocumentPatchTests {
  @Test(arguments: [("json-patch/tests.json", 92), ("json-patch/spec_tests.json", 16)])
  func `JSON Patch does what its suites say`(path: String, count: Int) throws {
    let tests = try #require(try Conformance.json(path).arrayValue)
      .filter { $0["disabled"]?.boolValue != true }
    #expect(tests.count == count)
    for test in tests {
      let before = try #require(test["doc"])
      let comment = Comment(rawValue: test.description)
      let document = try Document(before)
      do {
        try document.patch(try #require(test["patch"]))
        #expect(test["error"] == nil, comment)
        if let expected = test["expected"] { #expect(document.json == expected, comment) }
      } catch let error as CommitError {
        #expect(test["error"] != nil, "\(error): \(test)")
        #expect(document.json == before, comment)
      }
    }
  }

  @Test func `JSON Merge Patch does what RFC 7396 says`() throws {
    let tests = try #require(try Conformance.json("json-merge-patch/rfc7396.json").arrayValue)
    #expect(tests.count == 16)
    for test in tests {
      let document = try Document(try #require(test["doc"]))
      try document.apply(Commit(merge: try #require(test["patch"])))
      #expect(document.json == test["expected"], Comment(rawValue: test.description))
    }
  }

  @Test func `Pointers find what RFC 6901 says`() throws {
    let suite = try Conformance.json("json-pointer/rfc6901.json")
    let document = try Document(try #require(suite["doc"]))
    var count = 0
    for test in try #require(suite["pointers"]?.arrayValue) {
      let text = try #require(test["pointer"]?.stringValue)
      let pointer = try JSONPointer(text)
      #expect(document.snapshot(pointer) == test["expected"], "\(text)")
      #expect(pointer.description == text)
      count += 1
    }
    for test in try #require(suite["fragments"]?.arrayValue) {
      let text = try #require(test["fragment"]?.stringValue)
      #expect(document.snapshot(try JSONPointer(fragment: text)) == test["expected"], "\(text)")
      count += 1
    }
    for test in try #require(suite["errors"]?.arrayValue) {
      let text = try #require(test["pointer"]?.stringValue)
      if test["error"]?.stringValue == "syntax" {
        #expect(throws: CommitError.self) { try JSONPointer(text) }
      } else {
        #expect(document.snapshot(try JSONPointer(text)) == nil, "\(text)")
        #expect(throws: CommitError.self) { try document.replace(text, 1) }
      }
      count += 1
    }
    #expect(count == 34)
  }
}
