import Foundation
import ObsTestSupport
import ObsWire
import Testing

/// obsctl and obsd as somebody uses them who writes no Swift; each command has suites of its own in Tool/.
@Suite("obsctl with obsd", .timeLimit(.minutes(5)))
struct ToolTests {
  /// As many records as make a bar visible.
  private static let packages = JSON.object(
    JSON.Object(
      (0..<6000).map { number in
        (
          "p\(number)",
          [
            "name": .string("package \(number)"), "size": .int(Int64(number)),
            "section": number % 3 == 0 ? "games" : "libs",
            "text": .string(String(repeating: "x", count: 500)),
          ] as JSON
        )
      }
    )
  )

  @Test("import, describe, get, merge, watch, explain, export: one document all the way")
  func session() async throws {
    try await Obsd.with { obsd in
      try await withFolder { folder in
        let file = try folder.file(
          "data.json",
          JSON.object(["packages": Self.packages]).description
        )
        let load = try await obsd.ctl("import", file)
        #expect(load.code == 0, "\(load.complaints)")
        #expect(try #require(load.json()["commits"]?.intValue) > 20)

        let shape = try await obsd.ctl("describe")
        #expect(shape.code == 0)
        #expect(
          shape.lines.contains { $0.contains("packages  6,000 records by key {name: string") },
          "\(shape.lines)"
        )
        let games = "length(values(packages)[?section == $s])"
        let count = try await obsd.ctl("get", games, "--var", "s=games", "--format", "value")
        #expect(count.lines == ["2000"])

        try await withProgram(
          Program.built("obsctl"),
          ["watch", games, "--var", "s=games", "--format", "value", "--url", obsd.url]
        ) { watcher in
          #expect(await watcher.lines.next() == "2000")
          let merge = try await obsd.ctl("merge", "/packages/p1", input: #"{"section": "games"}"#)
          #expect(merge.code == 0)
          #expect(await watcher.lines.next() == "2001")
          watcher.send(SIGINT)
          #expect(await watcher.exitCode() == 130)
        }

        let explained = try await obsd.ctl("explain", games, "--var", "s=games", "--count", "1")
        #expect(explained.code == 0)
        let text = explained.lines.joined(separator: "\n")
        #expect(text.contains("query        length(values(packages)[?section==$s])"))
        #expect(text.contains("packages"))

        let copy = folder.appending(path: "copy.json")
        #expect(try await obsd.ctl("export", "/packages", copy.path).code == 0)
        let exported = try JSON(
          parsing: Array(try Data(contentsOf: copy)),
          limits: .unlimited
        )
        var expected = Self.packages.objectValue ?? [:]
        var changed = expected["p1"]?.objectValue ?? [:]
        changed["section"] = "games"
        expected["p1"] = .object(changed)
        #expect(exported == .object(expected))
      }
    }
  }

  @Test("import on a terminal draws a bar, and takes it away", .needs("script"))
  func bar() async throws {
    try await Obsd.with { obsd in
      try await withFolder { folder in
        let file = try folder.file(
          "data.json",
          JSON.object(["packages": Self.packages]).description
        )
        let command = "'\(Program.built("obsctl").path)' import '\(file)' --url '\(obsd.url)'"
        let outcome = try await withProgram(
          try Tools.path("script"),
          ["-qec", command, "/dev/null"]
        ) { program in
          await program.outcome()
        }
        #expect(outcome.code == 0)
        let text = outcome.lines.joined(separator: "\n")
        #expect(text.contains(/[█░]{24}  +[0-9]+ %  [0-9.]+ MB of [0-9.]+ MB/), "\(text)")
        // The last thing on the line is that it is empty; then the summary.
        let end = try #require(text.ranges(of: "\r\u{1b}[2K").last)
        #expect(text[end.upperBound...].contains("\"commits\": "), "\(text.suffix(300))")
      }
    }
  }

  @Test("a bad expression ends with 65 and a caret, a bad document with 65 and its place")
  func bad() async throws {
    try await Obsd.with(document: ObsCtl.issues) { obsd in
      for command in ["watch", "get", "explain"] {
        let outcome = try await obsd.ctl(command, "values(issues)[?state = 'open']")
        #expect(outcome.code == 65)
        #expect(outcome.lines == [])
        #expect(
          outcome.complaint.contains(
            "[syntax]\n  values(issues)[?state = 'open']\n                        ^"
          ),
          "\(outcome.complaint)"
        )
      }
      let document = try await obsd.ctl("import", "-", input: "{\n  \"a\": 1,\n}")
      #expect(document.code == 65)
      #expect(document.complaint.contains("line 3, column "), "\(document.complaint)")
      let number = try await obsd.ctl("merge", "/issues", input: #"{"a": {"b": [1, 1e400]}}"#)
      #expect(number.code == 65)
      #expect(number.complaint.contains("line 1, column"), "\(number.complaint)")
      #expect(try await obsd.ctl("export").json() == ObsCtl.issues)
    }
  }
}
