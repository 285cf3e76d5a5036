import Foundation
import ObsServer
import ObsTestSupport
import ObsWire
import Testing

/// Bad input of every kind: what obsctl says, and the code that it ends with.
@Suite("obsctl is told what is wrong", .timeLimit(.minutes(5)))
struct RefusedTests {
  @Test(
    "a bad expression: 65, with a caret under the place and a hint on a line of its own",
    arguments: ["get", "watch", "explain"]
  )
  func expression(command: String) async throws {
    try await ObsCtl.with { tool, _ in
      let outcome = try await tool.run(command, "length(values(issues)[?state = open])")
      #expect(outcome.code == 65)
      #expect(outcome.lines == [])
      #expect(
        outcome.complaint.contains(
          "[syntax]\n  length(values(issues)[?state = open])\n                               ^"
        )
      )
      let unknown = try await tool.run(command, "lenght(issues)")
      #expect(unknown.code == 65)
      #expect(unknown.complaint.contains("[unknown-function]\n  lenght(issues)\n  ^\n"))
      #expect(unknown.complaint.contains("\n  hint: "))
      let variable = try await tool.run(command, "$x")
      #expect(variable.code == 65)
      #expect(variable.complaint.contains("[undefined-variable]"))
    }
  }

  @Test("a value that the data does not have now: get says so with 65")
  func noValue() async throws {
    try await ObsCtl.with(["n": "three"]) { tool, _ in
      let outcome = try await tool.run("get", "abs(n)")
      #expect(outcome.code == 65)
      #expect(outcome.complaint.contains("[invalid-type]\n  abs(n)\n  ^"))
    }
  }

  @Test("bad JSON: 65 with the file's name, line and column", arguments: ["patch", "import"])
  func badJSON(command: String) async throws {
    try await ObsCtl.with { tool, document in
      try await withFolder { folder in
        let file = try folder.file("bad.json", "[\n  {\"op\": }\n]")
        let outcome = try await tool.run(command, file)
        #expect(outcome.code == 65)
        #expect(outcome.complaint.contains("bad.json is no JSON"))
        #expect(outcome.complaint.contains("line 2, column"))
        #expect(await document.json == ObsCtl.issues)
      }
    }
  }

  @Test("a file that is not there: 66", arguments: ["patch", "import", "replay"])
  func missingFile(command: String) async throws {
    try await ObsCtl.with { tool, _ in
      let outcome = try await tool.run(command, "/nonexistent/file")
      #expect(outcome.code == 66)
      #expect(outcome.complaint.contains("cannot read /nonexistent/file: there is no such file"))
    }
  }

  @Test("a file that cannot be written: 73")
  func unwritable() async throws {
    try await ObsCtl.with { tool, _ in
      let outcome = try await tool.run("export", "", "/nonexistent/out.json")
      #expect(outcome.code == 73)
      #expect(outcome.complaint.contains("cannot write /nonexistent/out.json"))
    }
  }

  @Test("a conflict names the operation and the place, and nothing is applied")
  func conflict() async throws {
    try await ObsCtl.with { tool, document in
      let outcome = try await tool.run(
        "patch",
        input: #"""
          [{"op": "remove", "path": "/issues/i02"},
           {"op": "test", "path": "/issues/i03/state", "value": "open"}]
          """#
      )
      #expect(outcome.code == 65)
      #expect(outcome.complaint.contains("[conflict]"))
      #expect(
        outcome.complaint.contains(
          #"operation 1: {"op":"test","path":"/issues/i03/state","value":"open"}"#
        )
      )
      #expect(outcome.complaint.contains(#"pointer "/issues/i03/state""#))
      #expect(await document.json == ObsCtl.issues)
    }
  }

  @Test(
    "a patch that cannot be applied: 65 and nothing is applied",
    arguments: [
      #"{"op": "remove", "path": "/a"}"#, #"[{"op": "remove", "path": "/nothing"}]"#,
      #"[{"op": "add", "path": "/issues/i01/x/y", "value": 1}]"#, #"[{"op": "fly", "path": "/a"}]"#,
      #"[{"path": "/a"}]"#, "[7]", #"[{"op": "replace", "path": "", "value": {}}]"#,
    ]
  )
  func badPatch(text: String) async throws {
    try await ObsCtl.with { tool, document in
      let outcome = try await tool.run("patch", input: text)
      #expect(outcome.code == 65)
      #expect(outcome.complaints.count >= 1)
      #expect(await document.json == ObsCtl.issues)
    }
  }

  @Test("a commit larger than the server takes: 65 with the limit, and nothing is applied")
  func tooLarge() async throws {
    try await ObsCtl.with { tool, document in
      let text = JSON.string(String(repeating: "x", count: 300_000)).description
      let merge = try await tool.run("merge", "/issues", input: #"{"i01": \#(text)}"#)
      #expect(merge.code == 65)
      #expect(merge.complaint.contains("messages of 262144 at most [too-large]"))
      #expect(merge.complaint.contains("hint: `obsctl import`"))
      let many = String(repeating: #"{"op":"test","path":"/n","value":1},"#, count: 1001)
      let patch = try await tool.run("patch", input: "[\(many.dropLast())]")
      #expect(patch.code == 65)
      #expect(patch.complaint.contains("at most 1000 operations"))
      #expect(await document.json == ObsCtl.issues)
    }
  }

  @Test("a bad pointer is told before anything is sent: 64; one to nothing: 65")
  func pointer() async throws {
    try await ObsCtl.with { tool, _ in
      #expect(try await tool.run("merge", "issues", input: "{}").code == 64)
      #expect(try await tool.run("export", "/a~2").code == 64)
      let nothing = try await tool.run("export", "/issues/i09")
      #expect(nothing.code == 65)
      #expect(nothing.complaint.contains(#"nothing is at "/issues/i09""#))
      let merge = try await tool.run("merge", "/no/such", input: "{}")
      #expect(merge.code == 65)
      #expect(merge.complaint.contains("/no"))
      let load = try await tool.run("import", "-", "--at", "/no/such", input: #"{"a": 1}"#)
      #expect(load.code == 65)
      #expect(load.complaint.contains("hint: 0 commits are in the document"))
    }
  }

  @Test("replay says which line, what is applied, and how to go on")
  func replay() async throws {
    try await ObsCtl.with(["n": 0]) { tool, document in
      func step(_ number: Int) -> String {
        #"{"ops": [{"op": "test", "path": "/n", "value": \#(number - 1)}, "#
          + #"{"op": "replace", "path": "/n", "value": \#(number)}]}"#
      }
      let lines = [step(1), step(2), step(7), step(3)]
      let refused = try await tool.run("replay", "-", input: lines.joined(separator: "\n"))
      #expect(refused.code == 65)
      #expect(refused.complaint.contains("line 3: "))
      #expect(refused.complaint.contains("[conflict]\n  operation 0: "))
      #expect(refused.complaint.contains("hint: 2 commits before it are applied"))
      #expect(await document.json["n"] == 3)
      let bad = try await tool.run("replay", "-", input: step(4) + "\n{\"ops\": [}\n" + step(5))
      #expect(bad.code == 65)
      #expect(bad.complaint.contains("standard input, line 2 is no JSON"))
      #expect(bad.complaint.contains("hint: 1 commits before it are applied"))
      #expect(await document.json["n"] == 4)
      let rest = try await tool.run(
        "replay",
        "-",
        "--from",
        "3",
        input: "nonsense\n\n" + step(5)
      )
      #expect(rest.code == 0)
      #expect(await document.json["n"] == 5)
    }
  }

  @Test(
    "no server: 69 with what to look at",
    arguments: [["get", "@"], ["watch", "@"], ["patch"], ["describe"], ["export"]]
  )
  func noServer(command: [String]) async throws {
    let url = "ws://127.0.0.1:1/ws"
    let program = Program.built("obsctl")
    let outcome = try await withProgram(program, command + ["--url", url]) { program in
      program.closeInput()
      return await program.outcome()
    }
    #expect(outcome.code == 69)
    #expect(outcome.complaint.contains("127.0.0.1:1"))
    #expect(outcome.complaint.contains("hint: is the server running"))
  }

  @Test("a server without a document: what needs one is refused")
  func noDocument() async throws {
    try await withServer { server, url in
      let tool = ObsCtl(url: url, server: server)
      let outcome = try await tool.run("merge", "", input: "{}")
      #expect(outcome.code == 69)
      #expect(outcome.complaint.contains("no document"))
      #expect(try await tool.run("export").lines == ["{}"])
    }
  }

  @Test("Ctrl-C while standard input says nothing: 130")
  func interrupt() async throws {
    try await ObsCtl.with { tool, _ in
      for command in ["patch", "replay"] {
        try await tool.start(command, "-") { program in
          // It is connected: nobody is left waiting for it afterwards.
          while await tool.server.statistics().connections == 0 { await Task.yield() }
          program.send(SIGINT)
          #expect(await program.exitCode() == 130)
        }
        while await tool.server.statistics().connections > 0 { await Task.yield() }
      }
    }
  }
}
