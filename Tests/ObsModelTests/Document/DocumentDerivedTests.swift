import Foundation
import ObsModel
import ObsQuery
import ObsWire
import Testing

/// The derived queries of the suites, live over a document: every value, and nobody woken without need.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Conformance.folder != nil, Conformance.comment))
@ObsActor
struct DocumentDerivedTests {
  @Test
  func
    `All derived queries have the right value after every step, and wake only for what they read`()
    async throws
  {
    let folder = URL(filePath: try #require(Conformance.folder)).appending(path: "derived")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    var (queries, steps, silent, evaluatedSilently) = (0, 0, 0, 0)
    for file in files.sorted() where file.hasSuffix(".json") {
      for suite in try #require(try Conformance.json("derived/" + file).arrayValue) {
        for test in try #require(suite["cases"]?.arrayValue) {
          queries += 1
          let given = try #require(suite["given"])
          let document = try Document(given)
          let text = try #require(test["expression"]?.stringValue)
          let query = try PreparedQuery(
            ObsQuery.Expression(parsing: text),
            variables: test["variables"]?.objectValue ?? [:]
          )
          let held = Box(query)
          let watch = DocumentWatch(document) { root in held.value.result(root) }
          await nextTurn()
          #expect(watch.values == [try #require(test["result"])], "\(text)")
          for step in test["steps"]?.arrayValue ?? [] {
            steps += 1
            let before = watch.values.last
            let patch = try #require(step["patch"])
            let evaluations = try await watch.evaluations { try document.patch(patch) }
            let isSilent = step["changed"] == false
            #expect(watch.values.last == step["result"], "\(text) \(patch)")
            #expect(isSilent == (watch.values.last == before), "\(text) \(patch)")
            #expect(evaluations <= 1, "\(text) \(patch)")
            guard isSilent else { continue }
            silent += 1
            guard evaluations > 0 else { continue }
            // Only for what it has read: the field that was written, or what contains it.
            evaluatedSilently += 1
            let column = watch.tracker.cause?.split(separator: "/").last.map { String($0) }
            let written = patch[0]?["path"]?.stringValue?.split(separator: "/").map { String($0) }
            #expect(written?.contains(try #require(column)) == true, "\(text) \(patch)")
          }
          watch.end()
          #expect(document.cellCount == 0, "\(text)")
        }
      }
    }
    #expect(queries == 30 && steps == 64 && silent == 26 && evaluatedSilently <= 11)
  }
}

extension PreparedQuery {
  /// The value, or the code of the error as text.
  func result(_ root: Value) -> JSON {
    do {
      return try evaluate(root).json
    } catch {
      return .string("\(error)")
    }
  }
}
