import ObsQuery
import ObsWire
import Testing

/// What is wrong with a text is found when it is parsed, with its place (PROTOCOL.md, errors).
@Suite(.timeLimit(.minutes(5)))
struct ExpressionErrorTests {
  struct Row: Sendable {
    var text: String
    var code: QueryError.Code
    var line = 1
    var column: Int
    var offset: Int
    var hint: String?
  }

  static func error(_ text: String, _ limits: ExpressionLimits = .default) -> QueryError? {
    do throws(QueryError) {
      _ = try Expression(parsing: text, limits: limits)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    Row(text: "", code: .syntax, column: 1, offset: 0, hint: "`@` is the whole value"),
    Row(text: "a.", code: .syntax, column: 3, offset: 2),
    Row(text: "a.1", code: .syntax, column: 3, offset: 2),
    Row(text: "é", code: .syntax, column: 1, offset: 0),
    Row(text: "'é😀' ==", code: .syntax, column: 8, offset: 7),
    Row(text: "a ||\n  || b", code: .syntax, line: 2, column: 3, offset: 7),
    Row(text: "a = b", code: .syntax, column: 3, offset: 2, hint: "to compare, write `==`"),
    Row(text: "a[?b == 5]", code: .syntax, column: 9, offset: 8),
    Row(text: "a -1", code: .syntax, column: 3, offset: 2),
    Row(text: "a.`1`", code: .syntax, column: 3, offset: 2),
    Row(text: "a.$b", code: .syntax, column: 3, offset: 2),
    Row(
      text: "a[*][b, c]",
      code: .syntax,
      column: 6,
      offset: 5,
      hint: "a list of each element is `.[a, b]`"
    ),
    Row(
      text: "a{b: b}",
      code: .syntax,
      column: 2,
      offset: 1,
      hint: "put a dot before `{`: `a.{b: b}`"
    ),
    Row(text: "\"abs\"(a)", code: .syntax, column: 1, offset: 0),
    Row(text: "abs(a b)", code: .syntax, column: 7, offset: 6),
    Row(text: "abs(a,)", code: .syntax, column: 7, offset: 6),
    Row(text: "{a: b c: d}", code: .syntax, column: 7, offset: 6),
    Row(text: "&a", code: .syntax, column: 1, offset: 0),
    Row(text: "a && &b", code: .syntax, column: 6, offset: 5),
    Row(text: "'a", code: .syntax, column: 1, offset: 0, hint: "close it with '"),
    Row(text: "`foo`", code: .syntax, column: 2, offset: 1),
    Row(text: "`{\"a\": 1, \"a\": 2}`", code: .syntax, column: 14, offset: 13),
    Row(text: "let $a = b $a", code: .syntax, column: 12, offset: 11),
    Row(text: "let a = b in a", code: .syntax, column: 5, offset: 4),
    Row(text: "a.let $b = c in d", code: .syntax, column: 7, offset: 6),
    Row(text: "a # b", code: .syntax, column: 3, offset: 2, hint: "there are no comments"),
    Row(
      text: "lenght(a)",
      code: .unknownFunction,
      column: 1,
      offset: 0,
      hint: "did you mean `length`?"
    ),
    Row(text: "a.xyzzy(b)", code: .unknownFunction, column: 3, offset: 2),
    Row(text: "a || length(b, c)", code: .invalidArity, column: 6, offset: 5),
    Row(text: "merge()", code: .invalidArity, column: 1, offset: 0),
    Row(
      text: "sort_by(a, b)",
      code: .invalidType,
      column: 12,
      offset: 11,
      hint: "write `&` before it"
    ),
    Row(text: "length(&a)", code: .invalidType, column: 8, offset: 7, hint: "leave out the `&`"),
    Row(text: "a[::0]", code: .invalidValue, column: 2, offset: 1),
    Row(text: "`9223372036854775808`", code: .numberRange, column: 2, offset: 1),
    Row(text: "a == `1e400`", code: .numberRange, column: 7, offset: 6),
    Row(text: "a[9223372036854775808]", code: .numberRange, column: 3, offset: 2),
  ])
  func `an error has its category, place and advice`(row: Row) throws {
    let error = try #require(Self.error(row.text), "\(row.text)")
    #expect(error.code == row.code, "\(row.text): \(error)")
    #expect(
      [error.line, error.column, error.offset] == [row.line, row.column, row.offset],
      "\(row.text): \(error)"
    )
    if let hint = row.hint { #expect(error.hint == hint, "\(row.text)") }
  }

  @Test func `a variable that nothing binds has the place where it stands first`() throws {
    let expression = try Expression(parsing: "a[?b == $x] | [$x, $y]")
    #expect(expression.variableNames == ["x", "y"])
    #expect {
      try PreparedQuery(expression, variables: ["y": 1])
    } throws: { error in
      guard let error = error as? QueryError else { return false }
      return error.code == .undefinedVariable && error.offset == 8 && error.message.contains("$x")
    }
    #expect(throws: Never.self) { try PreparedQuery(expression, variables: ["y": 1, "x": 2]) }
  }

  @Test(arguments: [
    ("length(a)", 8, 1), ("a + 'x'", 1, 3), ("[`1`, a.b.c.[-d]]", 1, 14), ("abs('x')", 1, 1),
    ("x[?sum(@) > `1`]", 1, 4),
  ])
  func `an error of an evaluation points at what failed`(
    text: String,
    line: Int,
    column: Int
  ) throws {
    let given: JSON = ["a": ["b": ["c": ["d": "x"]]], "x": ["y"]]
    let padding = String(repeating: "\n", count: line - 1)
    let query = try PreparedQuery(try Expression(parsing: padding + text + "  "))
    let root = Value(text.hasPrefix("length") ? ["a": 1] : given)
    #expect {
      try query.evaluate(root)
    } throws: { error in
      guard let error = error as? QueryError else { return false }
      return error.code == .invalidType && error.line == line && error.column == column
    }
  }

  @Test func `an excerpt shows the line with a caret under the place`() throws {
    let text = "let $a = `1` in\n  values(\"é\")[?'😀' == lenght(a)]"
    let error = try #require(Self.error(text))
    let line = "  values(\"é\")[?'😀' == lenght(a)]"
    #expect(error.excerpt(of: text) == line + "\n" + String(repeating: " ", count: 22) + "^")
    let end = try #require(Self.error("a ||"))
    #expect(end.excerpt(of: "a ||") == "a ||\n    ^")
  }
}
