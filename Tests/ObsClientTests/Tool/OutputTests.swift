@testable import ObsClient
import ObsCommandLine
import ObsWire
import Testing

@testable import obsctl

@Suite("What obsctl writes", .timeLimit(.minutes(5)))
struct OutputTests {
  @Test("JSON over several lines")
  func pretty() {
    let json: JSON = ["a": [1, ["b": .null]], "c": [], "d": [:]]
    #expect(
      json.pretty() == """
        {
          "a": [
            1,
            {
              "b": null
            }
          ],
          "c": [],
          "d": {}
        }
        """
    )
  }

  @Test("the board draws one line a query, and lets no value speak to the terminal")
  func board() {
    var board = Board(["a", "long"], isStyled: false)
    #expect(
      board.show("1", at: 0) == "\u{1b}[?7l\r\u{1b}[2Ka     1\n\r\u{1b}[2Klong  …\n\u{1b}[?7h"
    )
    #expect(
      board.show("\u{9b}2J\u{1b}[2J", at: 1)
        == "\u{1b}[2A\u{1b}[?7l\r\u{1b}[2Ka     1\n\r\u{1b}[2Klong  \u{FFFD}2J\u{FFFD}[2J\n\u{1b}[?7h"
    )
  }

  @Test("the value of a long expression stands below it, so that both can be seen")
  func longTitle() {
    let long = String(repeating: "x", count: 100)
    var board = Board([long, "short"], isStyled: false)
    #expect(
      board.show("7", at: 0)
        == "\u{1b}[?7l"
        + [long, "  7", "short", "  …"].map { "\r\u{1b}[2K\($0)\n" }.joined()
        + "\u{1b}[?7h"
    )
    #expect(board.show("8", at: 1).hasPrefix("\u{1b}[4A"))
  }

  @Test("expressions are faint where styles are wanted")
  func styled() {
    var board = Board(["a"], isStyled: true)
    #expect(board.show("1", at: 0).contains("\u{1b}[2ma\u{1b}[0m  1\n"))
  }

  @Test(
    "the excerpt has a caret under the place",
    arguments: [
      ("length(issues", 1, 14, "  length(issues\n               ^"),
      ("a.\n\tb[?c = d]", 2, 6, "  \tb[?c = d]\n  \t    ^"), ("é.ü +", 1, 6, "  é.ü +\n       ^"),
      ("a", 7, 1, "  a"),
    ]
  )
  func excerpt(query: String, line: Int, column: Int, text: String) {
    #expect(Excerpt.text(query, line: line, column: column) == text)
  }

  @Test("of a long line the excerpt shows the part around the place")
  func longExcerpt() {
    let query = String(repeating: "a", count: 100) + "!" + String(repeating: "b", count: 100)
    let lines = Excerpt.text(query, line: 1, column: 101).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("  …aaa"))
    #expect(lines[0].hasSuffix("bbb…"))
    let caret = lines[1].count - 1
    #expect(Array(lines[0])[caret] == "!")
    #expect(lines[1].last == "^")
  }

  @Test("an error of a query shows place and hint, one of a commit operation and pointer")
  func complaint() {
    let query = ClientError(
      wire: WireError(
        .unknownFunction,
        "there is no function `lenght`",
        locations: [.init(line: 1, column: 3)],
        extensions: ["offset": 2, "hint": "did you mean `length`?"]
      )
    )
    #expect(
      Complaint(query, query: "a.lenght(@)").text == """
        there is no function `lenght` [unknown-function]
          a.lenght(@)
            ^
          hint: did you mean `length`?
        """
    )
    #expect(Complaint(query, query: "a.lenght(@)").code == .badData)
    let commit = ClientError(
      wire: WireError(.conflict, "not open", extensions: ["op": 1, "pointer": "/i/state"])
    )
    #expect(
      Complaint(commit, operations: [.remove("/a"), .test("/i/state", is: "open")]).text == """
        not open [conflict]
          operation 1: {"op":"test","path":"/i/state","value":"open"}
          pointer "/i/state"
        """
    )
  }

  @Test("progress says how much is done, how fast it goes and how long it takes")
  func progress() {
    let some = Progress("values", of: 63681, Output(program: "obsctl"))
    #expect(
      some.text(21227, after: .seconds(2), bar: true)
        == "████████░░░░░░░░░░░░░░░░  33 %  21,227 of 63,681 values  10,613/s  4.0 s left"
    )
    let bytes = Progress("bytes", of: 12_400_000, Output(program: "obsctl"))
    #expect(
      bytes.text(6_200_000, after: .seconds(1), bar: false)
        == "50 %  6.2 MB of 12.4 MB  6.2 MB/s  1.0 s left"
    )
    #expect(bytes.text(0, after: .zero, bar: false) == "0 %  0 B of 12.4 MB  0 B/s")
    let open = Progress("commits", of: nil, Output(program: "obsctl"))
    #expect(open.text(1817, after: .seconds(2), bar: true) == "1,817 commits  908/s")
  }

  @Test("a description is words and columns")
  func description() {
    let text = Description([
      "operations": [
        ["name": "setState", "kind": "command", "arguments": ["id": "string", "state": "string"]],
        ["name": "all", "kind": "query"],
      ],
      "language": ["name": "jmespath", "functions": ["top"]],
      "shape": [
        "issues": ["count": 1234, "collection": ["state": "string"]],
        "list": ["count": 3, "array": true], "n": "number",
      ],
      "examples": ["length(issues)", "values(x)[?a == 'b']"],
    ]).text
    #expect(
      text == """
        DATA
          issues  1,234 records by key {state: string}
          list    list of 3
          n       number

        FUNCTIONS (beside those of the language)
          top(…)

        OPERATIONS
          command  setState  (id: string, state: string)
          query    all

        EXAMPLES
          obsctl watch 'length(issues)'
          obsctl watch 'values(x)[?a == '\\''b'\\'']'
        """
    )
  }

  @Test("an explanation is complete for the first value, and then says what is new")
  func explanation() {
    var explanation = Explanation(Query(subject: .expression("length(a)")))
    let first = explanation.text(
      frame(
        2,
        rev: 1,
        [
          "query": "length(a)", "degree": 1, "steps": 1200, "elements": 0, "subscribers": 2,
          "reads": ["a: members"],
        ]
      )
    )
    #expect(
      first == """
        query        length(a)
        degree       1
        cost         1,200 steps, 0 elements
        subscribers  2
        reads        a: members
        rev 1  2
        """
    )
    let second = explanation.text(frame(3, rev: 4, ["steps": 5, "elements": 1, "cause": "a"]))
    #expect(second == "rev 4  3\n       caused by a; 5 steps, 1 elements")
  }

  private func frame(_ value: JSON, rev: Int64, _ explain: JSON) -> Frame<JSON> {
    Frame(
      value: value,
      rev: rev,
      epoch: "e",
      skipped: 0,
      more: false,
      deferred: false,
      extensions: ["explain": explain]
    )
  }
}

extension ClientError {
  fileprivate init(wire: WireError) {
    self.init(wire.code, wire.message, wire: wire)
  }
}
