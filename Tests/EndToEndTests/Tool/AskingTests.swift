import Foundation
import ObsServer
import ObsTestSupport
import ObsWire
import Testing

/// `watch`, `get`, `explain` and `describe` as processes, against a document.
@Suite("obsctl asks", .timeLimit(.minutes(5)))
struct AskingTests {
  @Test("watch shows the value, and each change of it")
  func watch() async throws {
    try await ObsCtl.with { tool, document in
      try await tool.start(
        "watch",
        "length(values(issues)[?state == $s])",
        "--var",
        "s=open",
        "--count",
        "2"
      ) { program in
        let first = try JSON(parsing: try #require(await program.lines.next()))
        #expect(first["data"] == 2)
        #expect(first["query"] == "length(values(issues)[?state == $s])")
        #expect(first["seq"] == 0)
        let patch = try await tool.run(
          "patch",
          input: #"[{"op": "replace", "path": "/issues/i01/state", "value": "closed"}]"#
        )
        #expect(patch.code == 0)
        let second = try JSON(parsing: try #require(await program.lines.next()))
        #expect(second["data"] == 1)
        #expect(second["seq"] == 1)
        // The commit's answer has the rev of the value that it caused.
        let answer = try patch.json()
        #expect(answer["rev"] == second["rev"])
        #expect(answer["seq"] == 1)
        #expect(await program.exitCode() == 0)
      }
    }
  }

  @Test("watch shows several queries, registered ones too, each line with its query")
  func several() async throws {
    try await ObsCtl.with { tool, _ in
      let outcome = try await tool.run(
        "watch",
        "length(issues)",
        "issues.i01.title",
        "--operation",
        "answer",
        "--count",
        "3"
      )
      #expect(outcome.code == 0)
      let lines = try outcome.lines.map { try JSON(parsing: $0) }
      let data = Dictionary(
        uniqueKeysWithValues: lines.map {
          (($0["query"] ?? $0["operation"])?.stringValue ?? "", $0["data"] ?? .null)
        }
      )
      #expect(data == ["length(issues)": 3, "issues.i01.title": "Crash", "answer": 42])
    }
  }

  @Test("watch shows that a query has no value at present, and the value when the data healed")
  func heals() async throws {
    try await ObsCtl.with(["n": "three"]) { tool, _ in
      try await tool.start("watch", "abs(n)") { program in
        let first = try JSON(parsing: try #require(await program.lines.next()))
        #expect(first["errors"]?[0]?["extensions"]?["code"] == "invalid-type")
        _ = try await tool.run("merge", "", input: #"{"n": -3}"#)
        let second = try JSON(parsing: try #require(await program.lines.next()))
        #expect(second["data"] == 3)
        program.send(SIGINT)
        #expect(await program.exitCode() == 130)
      }
    }
  }

  @Test("an operation taken for an expression is told, and so is what is probably not meant")
  func advice() async throws {
    try await ObsCtl.with { tool, _ in
      let operation = try await tool.run("watch", "answer", "--count", "1", "--format", "value")
      #expect(operation.lines == ["null"])
      #expect(operation.complaint.contains("--operation answer"))
      let warned = try await tool.run("get", "!issues.i01.closed")
      #expect(warned.code == 0)
      #expect(warned.complaint.contains("warning: "))
      #expect(warned.complaint.contains("\n  !issues.i01.closed\n  ^"))
    }
  }

  @Test("get prints the value now, alone or with its place")
  func get() async throws {
    try await ObsCtl.with { tool, _ in
      let value = try await tool.run("get", "sum(values(issues)[].votes)", "--format", "value")
      #expect(value.code == 0)
      #expect(value.lines == ["44"])
      #expect(value.complaints == [])
      let line = try await tool.run(
        "get",
        "issues.i01.votes + $n",
        "--vars",
        #"{"n": 3}"#,
        "--format",
        "ndjson"
      )
      let json = try line.json()
      #expect(json["data"] == 15)
      #expect(json["seq"] == 0)
      let pretty = try await tool.run("get", "issues.i03.{t: title}", "--format", "pretty")
      #expect(pretty.lines == ["{", #"  "t": "Typo""#, "}"])
    }
  }

  @Test("explain says what a query reads, and then what caused each value")
  func explain() async throws {
    try await ObsCtl.with { tool, _ in
      try await tool.start(
        "explain",
        " length( values(issues)[?state == $s] )",
        "--var",
        "s=open",
        "--count",
        "2"
      ) { program in
        var first: [String] = []
        while let line = await program.lines.next() {
          first.append(line)
          if line.hasPrefix("rev ") { break }
        }
        let text = first.joined(separator: "\n")
        #expect(first.first == "query        length(values(issues)[?state==$s])")
        #expect(text.contains(#"variables    {"s":"open"}"#))
        #expect(text.contains("degree       1"))
        #expect(text.contains("subscribers  1"))
        #expect(first.last?.hasSuffix("  2") == true)
        let reads = try #require(
          first.first { $0.hasPrefix("reads") }?.dropFirst("reads        ".count)
        )
        #expect(reads.contains("issues"))
        _ = try await tool.run(
          "patch",
          input: #"[{"op": "replace", "path": "/issues/i01/state", "value": "closed"}]"#
        )
        #expect(await program.lines.next()?.hasSuffix("  1") == true)
        let cause = try #require(await program.lines.next())
        #expect(cause.contains("caused by "))
        #expect(cause.contains("issues"))
        #expect(await program.exitCode() == 0)
      }
    }
  }

  @Test("describe shows data, operations and examples that work; --format json everything")
  func describe() async throws {
    try await ObsCtl.with { tool, _ in
      let text = try await tool.run("describe")
      #expect(text.code == 0)
      let all = text.lines.joined(separator: "\n")
      #expect(all.contains("issues  3 records by key {id: string, state: string"))
      #expect(all.contains("query    answer"))
      #expect(all.contains("obsctl watch 'length(issues)'"))
      let json = try await tool.run("describe", "--format", "json").json()
      for example in json["examples"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
        #expect(try await tool.run("get", example).code == 0)
      }
    }
  }

  @Test("a watcher of which nobody reads any more ends with 0")
  func readerGone() async throws {
    try await ObsCtl.with { tool, _ in
      let program = Program.built("obsctl").path
      let pipeline = """
        '\(program)' watch 'length(issues)' --format value --url '\(tool.url)' | head -n 1
        exit ${PIPESTATUS[0]}
        """
      let outcome = try await withProgram(URL(filePath: "/bin/bash"), ["-c", pipeline]) {
        await $0.outcome()
      }
      #expect(outcome.code == 0)
      #expect(outcome.lines == ["3"])
    }
  }
}
