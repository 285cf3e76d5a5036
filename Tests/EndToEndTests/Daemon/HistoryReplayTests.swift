import Foundation
import ObsTestSupport
import ObsWire
import Testing

/// Eleven years of Swift Evolution through the programs: `obsctl replay` into `obsd`, with watchers.
@Suite("obsctl replays a history into obsd", .timeLimit(.minutes(5)))
struct HistoryReplayTests {
  private static let data = Tools.repository.appending(path: "Sources/ObsHistory/Data")
  private static let counts = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Clients/evolution_counts.py")

  /// A query for each member of what Python counts.
  private static let queries = [
    ("count", "length(proposals)"),
    (
      "states",
      "from_items(items(group_by(values(proposals), &state))[*].[[0], length([1])])"
    ),
    ("review", "values(proposals)[?state == $s].id"),
  ]

  /// Runs `body` beside one `obsctl watch` for each of the queries.
  private static func withWatchers(
    _ url: String,
    _ queries: ArraySlice<(String, String)>,
    _ watchers: [String: Program] = [:],
    _ body: ([String: Program]) async throws -> Void
  ) async throws {
    guard let (name, query) = queries.first else { return try await body(watchers) }
    // With a last commit that every watcher hears of, so that it is known which value is the last.
    let line = ["watch", "{value: \(query), end: end}", "--var", "s=active review", "--url", url]
    try await withProgram(Program.built("obsctl"), line) { program in
      let more = watchers.merging([name: program]) { $1 }
      try await withWatchers(url, queries.dropFirst(), more, body)
    }
  }

  @Test(
    "at full speed: three watchers end with what Python counts, and see many values on the way",
    .needs("python3")
  )
  func fullSpeed() async throws {
    let python = try await Tool.run(
      try Tools.path("python3"),
      [Self.counts.path, Self.data.appending(path: "swift-evolution.json").path]
    )
    let expected = try JSON(parsing: python.output)
    try #require(expected["count"] == 548)
    let history = Self.data.appending(path: "swift-evolution-history.ndjson").path

    try await Obsd.with(document: ["proposals": [:]]) { obsd in
      try await Self.withWatchers(obsd.url, Self.queries[...]) { watchers in
        func frame(_ name: String) async throws -> JSON {
          try JSON(parsing: try #require(await watchers[name]?.lines.next()))
        }
        // All are there before the first commit.
        #expect(try await frame("count")["data"]?["value"] == 0)
        #expect(try await frame("states")["data"]?["value"] == [:])
        #expect(try await frame("review")["data"]?["value"] == [])

        let replay = try await obsd.ctl("replay", history)
        #expect(replay.code == 0, "\(replay.complaints)")
        #expect(try replay.json()["commits"] == 1817)
        #expect(try replay.json()["seq"] == 1817)
        #expect(try await obsd.ctl("merge", "", input: #"{"end": true}"#).code == 0)

        for (name, _) in Self.queries {
          var shown = 0
          var rev: Int64 = -1
          while true {
            let frame = try await frame(name)
            shown += 1
            let next = try #require(frame["rev"]?.intValue)
            #expect(next > rev)
            rev = next
            guard frame["data"]?["end"] == true else { continue }
            #expect(frame["data"]?["value"] == expected[name], "\(name)")
            #expect(frame["seq"] == 1818)
            break
          }
          // Not only the last one: states that are passed over are so because a newer one was there already.
          #expect(shown > 2, "\(name)")
        }

        // The document as a whole is what the history says, too.
        #expect(try await obsd.ctl("merge", "", input: #"{"end": null}"#).code == 0)
        let outcome = try String(
          contentsOf: Self.data.appending(path: "swift-evolution.json"),
          encoding: .utf8
        )
        #expect(try await obsd.ctl("export").json() == JSON(parsing: outcome))
      }
    }
  }
}
