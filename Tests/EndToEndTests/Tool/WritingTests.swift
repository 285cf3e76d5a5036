import Foundation
import ObsServer
import ObsTestSupport
import ObsWire
import Testing

/// `patch`, `merge`, `import`, `export` and `replay` as processes, against a document.
@Suite("obsctl writes", .timeLimit(.minutes(5)))
struct WritingTests {
  @Test("patch applies a file or standard input, and says rev and seq")
  func patch() async throws {
    try await ObsCtl.with { tool, document in
      try await withFolder { folder in
        let file = try folder.file(
          "change.json",
          #"[{"op": "test", "path": "/issues/i01/votes", "value": 12}, {"op": "remove", "path": "/issues/i02"}]"#
        )
        let outcome = try await tool.run("patch", file)
        #expect(outcome.code == 0)
        let answer = try outcome.json()
        #expect(answer["seq"] == 1)
        #expect(answer["rev"]?.intValue != nil)
        let input = try await tool.run(
          "patch",
          "-",
          input: #"[{"op": "add", "path": "/n", "value": 1}]"#
        )
        #expect(input.code == 0)
        #expect(await document.json["n"] == 1)
        #expect(await document.json["issues"]?.objectValue?.keys == ["i01", "i03"])
      }
    }
  }

  @Test("merge applies at a place")
  func merge() async throws {
    try await ObsCtl.with { tool, document in
      let outcome = try await tool.run(
        "merge",
        "/issues/i01",
        input: #"{"state": "closed", "title": null}"#
      )
      #expect(outcome.code == 0)
      #expect(
        await document.json["issues"]?["i01"] == ["id": "i01", "state": "closed", "votes": 12]
      )
    }
  }

  @Test("a commit with a key is done once, however often it is sent")
  func key() async throws {
    try await ObsCtl.with(["list": []]) { tool, document in
      let patch = #"[{"op": "add", "path": "/list/-", "value": 1}]"#
      let first = try await tool.run("patch", "--key", "k1", input: patch)
      let second = try await tool.run("patch", "--key", "k1", input: patch)
      #expect(try first.json()["seq"] == second.json()["seq"])
      #expect(await document.json["list"] == [1])
      let other = try await tool.run("merge", "", "--key", "k1", input: "{}")
      #expect(other.code == 65)
      #expect(other.complaint.contains("[key-reused]"))
    }
  }

  @Test("--if-seq refuses a commit when what it touches was changed since")
  func ifSeq() async throws {
    try await ObsCtl.with { tool, document in
      #expect(try await tool.run("merge", "/issues/i01", input: #"{"votes": 13}"#).code == 0)
      let other = try await tool.run(
        "merge",
        "/issues/i02",
        "--if-seq",
        "0",
        input: #"{"votes": 32}"#
      )
      #expect(other.code == 0)
      let stale = try await tool.run(
        "merge",
        "/issues/i01",
        "--if-seq",
        "0",
        input: #"{"votes": 99}"#
      )
      #expect(stale.code == 65)
      #expect(stale.complaint.contains("[conflict]"))
      #expect(await document.json["issues"]?["i01"]?["votes"] == 13)
    }
  }

  @Test("import puts a file into the document in many commits, and export gives it back")
  func importExport() async throws {
    let records = JSON.object(
      JSON.Object(
        (0..<3000).map { number in
          (
            "p\(number)",
            [
              "name": .string("package \(number)"), "n": .int(Int64(number)), "none": .null,
              "text": .string(String(repeating: "x", count: 400)), "tags": ["a", "b"],
            ] as JSON
          )
        }
      )
    )
    let file: JSON = [
      "packages": records, "title": "index", "list": .array((0..<9).map { .int($0) }),
    ]
    try await ObsCtl.with(["kept": true]) { tool, document in
      try await withFolder { folder in
        let path = try folder.file("data.json", file.description)
        let outcome = try await tool.run("import", path)
        #expect(outcome.code == 0)
        let summary = try outcome.json()
        // 1.4 MB in commits of at most 64 KiB.
        #expect(summary["commits"]?.intValue ?? 0 > 20)
        #expect(summary["seq"] == summary["commits"])
        var expected = file.objectValue ?? [:]
        expected["kept"] = true
        #expect(await document.json == .object(expected))

        // More than one answer of the server may hold, so in parts.
        let copy = folder.appending(path: "copy.json").path
        let export = try await tool.run("export", "", copy)
        #expect(export.code == 0)
        #expect(export.lines == [])
        let bytes = try Data(contentsOf: URL(filePath: copy))
        #expect(try JSON(parsing: Array(bytes), limits: .unlimited) == .object(expected))
        #expect(try await tool.run("export", "/packages/p7/n").lines == ["7"])
        #expect(try await tool.run("export", "/list/8").lines == ["8"])
        #expect(try await tool.run("export", "/packages/p7/none").lines == ["null"])
        #expect(try await tool.run("export", "/list", "--format", "pretty").lines.count == 11)
      }
    }
  }

  @Test("export reads in parts what no single answer holds")
  func exportParts() async throws {
    let long = String(repeating: "k", count: 100)
    let document: JSON = [
      "names": .object(JSON.Object((0..<300).map { ("\(long)\($0)", .int(Int64($0))) })),
      "texts": ["a": .string(String(repeating: "a", count: 15_000)), "b": ["c": [1, .null]]],
      "list": .array((0..<300).map { [.int(Int64($0)), .string(long)] }),
      "quote\"d": ["~/": [[], [:]]],
    ]
    let configuration = ServerConfiguration.testing { $0.limits.valueBytes = 20_000 }
    try await ObsCtl.with(document, configuration) { tool, _ in
      let all = try await tool.run("export")
      #expect(all.code == 0)
      #expect(try all.json() == document)
      #expect(try await tool.run("export", "/quote\"d/~0~1/0").lines == ["[]"])
    }
  }

  @Test("import at a place, of standard input; a second time nothing changes")
  func importAgain() async throws {
    try await ObsCtl.with { tool, document in
      let record = #"{"i01": {"id": "i01", "state": "new"}, "i04": {"id": "i04"}}"#
      let first = try await tool.run("import", "-", "--at", "/issues", input: record)
      #expect(first.code == 0)
      let once = await document.json
      #expect(once["issues"]?["i01"] == ["id": "i01", "state": "new"])
      #expect(once["issues"]?["i02"]?["title"] == "Dark mode")
      #expect(try await tool.run("import", "-", "--at", "/issues", input: record).code == 0)
      #expect(await document.json == once)
    }
  }

  @Test("replay applies a history in order, many commits on their way at once")
  func replay() async throws {
    try await ObsCtl.with(["n": 0]) { tool, document in
      try await withFolder { folder in
        // Each line is right only when the one before was applied.
        let lines = (0..<300).map { number in
          #"{"at": "2026-01-01", "ops": [{"op": "test", "path": "/n", "value": \#(number)}, "#
            + #"{"op": "replace", "path": "/n", "value": \#(number + 1)}]}"#
        }
        let path = try folder.file("h.ndjson", lines.joined(separator: "\n") + "\n\n")
        let outcome = try await tool.run("replay", path)
        #expect(outcome.code == 0)
        let summary = try outcome.json()
        #expect(summary["commits"] == 300)
        #expect(summary["seq"] == 300)
        #expect(await document.json["n"] == 300)
      }
    }
  }

  @Test("replay of standard input applies each line as it comes")
  func replayInput() async throws {
    try await ObsCtl.with(["n": 0]) { tool, _ in
      try await tool.start("watch", "n", "--format", "value") { watcher in
        #expect(await watcher.lines.next() == "0")
        try await tool.start("replay", "-", "--rate", "1000") { program in
          for number in 1...3 {
            try program.write(#"[{"op": "replace", "path": "/n", "value": \#(number)}]"#)
            #expect(await watcher.lines.next() == "\(number)")
          }
          program.closeInput()
          #expect(await program.exitCode() == 0)
        }
      }
    }
  }

  @Test("replay goes on after a server's limit on operations, within it")
  func paced() async throws {
    let configuration = ServerConfiguration.testing {
      $0.limits.operationsPerSecond = 200
      $0.limits.operationBurst = 20
    }
    try await ObsCtl.with(["n": 0], configuration) { tool, document in
      let lines = (1...100).map { #"[{"op": "replace", "path": "/n", "value": \#($0)}]"# }
      let outcome = try await tool.run("replay", "-", input: lines.joined(separator: "\n"))
      #expect(outcome.code == 0)
      #expect(await document.json["n"] == 100)
    }
  }
}
