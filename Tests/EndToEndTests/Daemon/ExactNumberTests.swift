import Foundation
import ObsTestSupport
import ObsWire
import Testing

/// Numbers that not every language can hold, between programs.
@Suite("Numbers between programs", .timeLimit(.minutes(5)))
struct ExactNumberTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Clients/numbers.js")

  @Test(
    "scenario 60: JavaScript gets every digit; what it cannot hold, itself rounds; text stays",
    .needs("node"),
    .needsNodeModule("ws")
  )
  func javaScript() async throws {
    try await Obsd.with(document: ["n": [.null]]) { obsd in
      // A Swift client beside it sees the same values exactly.
      let line = ["watch", "n[0]", "--url", obsd.url, "--format", "value"]
      try await withProgram(Program.built("obsctl"), line) { swift in
        #expect(await swift.lines.next() == "null")
        let node = try await withProgram(
          try Tools.path("node"),
          [Self.script.path, obsd.url],
          environment: ["NODE_PATH": Tools.nodeModules.path]
        ) { await $0.outcome() }
        try #require(node.code == 0, "\(node.complaints)")
        // Written, on the wire, and what JSON.parse makes of it.
        let rows: [(String, String, String, String)] = [
          ("750727362669608961", "750727362669608961", "number", "750727362669609000"),
          ("9007199254740993", "9007199254740993", "number", "9007199254740992"),
          ("0.1", "0.1", "number", "0.1"),
          // An integer has no sign of zero, a number with a fraction has.
          ("-0", "0", "number", "0"),
          ("1e+22", "1e+22", "number", "1e+22"),
          ("-0.0", "-0.0", "number", "-0"),
          // Rounded before it left JavaScript: no server can help.
          ("9007199254740992", "9007199254740992", "number", "9007199254740992"),
          // As docs/LANGUAGE.md advises: as text.
          (#""9007199254740993""#, #""9007199254740993""#, "string", "9007199254740993"),
        ]
        var lines = node.lines[...]
        for (written, wire, type, value) in rows {
          let line = try JSON(parsing: lines.popFirst() ?? "")
          #expect(line == [.string(written), .string(wire), .string(type), .string(value)])
          #expect(await swift.lines.next() == wire)
        }
        let end = try JSON(parsing: lines.popFirst() ?? "")
        #expect(end[0] == 4400)
        #expect(end[1]?.stringValue?.contains("number") == true, "\(end)")
        #expect(lines == [])
      }
      #expect(
        try await obsd.ctl("get", "n[0]", "--format", "value").lines == [#""9007199254740993""#]
      )
    }
  }
}
