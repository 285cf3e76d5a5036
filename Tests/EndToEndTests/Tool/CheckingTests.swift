import ObsTestSupport
import ObsWire
import Testing

/// `obsctl check`, which has no server.
@Suite("obsctl checks", .timeLimit(.minutes(5)))
struct CheckingTests {
  @Test("a right expression: shortest spelling, variables, degree")
  func right() async throws {
    let outcome = try await ObsCtl.offline("check", "length( values(issues)[? state == $s ] )")
    #expect(outcome.code == 0)
    #expect(
      outcome.lines == [
        "query      length(values(issues)[?state==$s])", "variables  $s", "degree     1",
      ]
    )
    #expect(outcome.complaints == [])
  }

  @Test("the value on a file and on standard input, alone with --format value")
  func value() async throws {
    try await withFolder { folder in
      let file = try folder.file("data.json", ObsCtl.issues.description)
      let expression = "length(values(issues)[?state == $s])"
      let value = try await ObsCtl.offline(
        "check",
        expression,
        file,
        "--var",
        "s=open",
        "--format",
        "value"
      )
      #expect(value.code == 0)
      #expect(value.lines == ["2"])
      let input = try await ObsCtl.offline(
        "check",
        "keys(@)",
        "--format",
        "value",
        input: #"{"b": 1, "a": 2}"#
      )
      #expect(input.lines == [#"["a","b"]"#])
      let text = try await ObsCtl.offline("check", "@", "-", input: #"{"a": [1]}"#)
      #expect(text.lines.suffix(5) == ["{", "  \"a\": [", "    1", "  ]", "}"])
      let json = try await ObsCtl.offline(
        "check",
        "a",
        "-",
        "--format",
        "json",
        input: #"{"a": 7}"#
      )
      #expect(
        try json.json() == [
          "query": "a", "variables": [], "degree": 0, "warnings": [], "value": 7,
        ]
      )
    }
  }

  @Test(
    "a bad expression: 65, its message, and a caret under the place",
    arguments: [
      ("issues[?state = open]", "  issues[?state = open]\n                ^"),
      ("length(issues", "  length(issues\n               ^"),
      ("lenght(issues)", "  lenght(issues)\n  ^"),
      ("a.\n  length(@, @)", "    length(@, @)\n    ^"),
      ("`9223372036854775808`", "  `9223372036854775808`\n   ^"),
    ]
  )
  func bad(expression: String, excerpt: String) async throws {
    let outcome = try await ObsCtl.offline("check", expression)
    #expect(outcome.code == 65)
    #expect(outcome.lines == [])
    #expect(outcome.complaint.contains(excerpt))
    #expect(outcome.complaints.first?.hasPrefix("obsctl: ") == true)
  }

  @Test("what is far too large is refused, and the process ends as it should")
  func huge() async throws {
    let parentheses = String(repeating: "(", count: 10_000)
    #expect(try await ObsCtl.offline("check", parentheses).code == 65)
    let bomb = try await ObsCtl.offline(
      "check",
      "let $a = [@, @, @, @, @, @, @, @, @, @] in let $b = [$a, $a, $a, $a, $a, $a, $a, $a, $a, $a] in "
        + "let $c = [$b, $b, $b, $b, $b, $b, $b, $b, $b, $b] in [$c, $c, $c, $c, $c, $c, $c, $c, $c, $c]",
      "-",
      input: JSON.string(String(repeating: "x", count: 1000)).description
    )
    #expect(bomb.code == 65)
    #expect(bomb.complaint.contains("result-too-large"))
  }

  @Test("an expression without a value on this data, a missing variable: 65 with the place")
  func noValue() async throws {
    let type = try await ObsCtl.offline("check", "abs(n)", "-", input: #"{"n": "three"}"#)
    #expect(type.code == 65)
    #expect(type.complaint.contains("[invalid-type]\n  abs(n)\n  ^"))
    let variable = try await ObsCtl.offline("check", "n + $x", "-", input: #"{"n": 1}"#)
    #expect(variable.code == 65)
    #expect(variable.complaint.contains("\n  n + $x\n      ^"))
  }

  @Test("what is probably not meant is said, with its place")
  func warning() async throws {
    let outcome = try await ObsCtl.offline("check", "!a.b", "-", input: "{}")
    #expect(outcome.code == 0)
    #expect(outcome.complaint.contains("warning: "))
    #expect(outcome.complaint.contains("\n  !a.b\n  ^"))
  }

  @Test("a bad document: 65 with line and column; a missing file: 66")
  func document() async throws {
    let bad = try await ObsCtl.offline("check", "a", "-", input: "{\n  \"a\": }")
    #expect(bad.code == 65)
    #expect(bad.complaint.contains("standard input"))
    #expect(bad.complaint.contains("line 2, column"))
    let missing = try await ObsCtl.offline("check", "a", "/nonexistent/data.json")
    #expect(missing.code == 66)
    #expect(
      missing.complaint == "obsctl: cannot read /nonexistent/data.json: there is no such file"
    )
    #expect(try await ObsCtl.offline("check", "a", "/").code == 66)
  }
}
