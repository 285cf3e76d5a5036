import Foundation
import ObsServer
import ObsTestSupport
import Testing

/// The project's own derived queries with their changes, each over a real socket.
enum DerivedSuite {
  static let folder = ProcessInfo.processInfo.environment["OBS_CONFORMANCE"]

  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let given: JSON
    let json: JSON
  }

  static let cases: [Case] = {
    guard let folder else { return [] }
    let root = folder + "/derived"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return files.sorted().flatMap { file -> [Case] in
      guard let data = FileManager.default.contents(atPath: root + "/" + file),
        let suites = try? JSON(parsing: Array(data), limits: .unlimited)
      else { return [] }
      return (suites.arrayValue ?? []).flatMap { suite in
        (suite["cases"]?.arrayValue ?? []).map { json in
          Case(
            description: "\(file): \(json["name"]?.stringValue ?? "")",
            given: suite["given"] ?? .null,
            json: json
          )
        }
      }
    }
  }()
}

@Suite("Derived queries over a socket", .timeLimit(.minutes(5)))
struct DerivedTests {
  @Test(
    "each value is right, and silent changes send nothing",
    .enabled(if: DerivedSuite.folder != nil, "set OBS_CONFORMANCE to the folder of the suites"),
    arguments: DerivedSuite.cases
  )
  func derived(_ it: DerivedSuite.Case) async throws {
    let document = try await Document(it.given)
    try await withServer { server, url in
      try await server.host(document)
      let client = try await ProtocolClient.connect(url)
      let text = try #require(it.json["expression"]?.stringValue)
      client.watch("w", text, it.json["variables"]?.objectValue ?? [:])
      var value = try await client.value("w").data
      #expect(value == it.json["result"])
      for (number, step) in (it.json["steps"]?.arrayValue ?? []).enumerated() {
        let patch = try #require(step["patch"])
        // The answer comes behind the values that the commit caused: what is not there did not come.
        let (_, before) = try await client.patch(patch, id: "p\(number)")
        if step["changed"] == true {
          guard case .next("w", let payload)? = before.first, before.count == 1 else {
            Issue.record("step \(number): one value expected, but came \(before)")
            return
          }
          value = payload.data
        } else {
          #expect(before.isEmpty, "step \(number)")
        }
        #expect(value == step["result"], "step \(number)")
      }
    }
  }

  @Test(
    "all 30 queries with all 64 changes are there",
    .enabled(if: DerivedSuite.folder != nil, "set OBS_CONFORMANCE to the folder of the suites")
  )
  func complete() {
    #expect(DerivedSuite.cases.count == 30)
    let steps = DerivedSuite.cases.flatMap { $0.json["steps"]?.arrayValue ?? [] }
    #expect(steps.count == 64)
    #expect(steps.count { $0["changed"] == false } == 26)
  }
}
