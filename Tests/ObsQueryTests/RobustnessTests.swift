import ObsTestSupport
import ObsQuery
import ObsWire
import Testing

/// Whatever text comes, the process lives: a value or an error with a place.
@Suite(.timeLimit(.minutes(5)))
struct RobustnessTests {
  static let pieces = [
    "a", "b", "\"c d\"", "@", "$", "$x", "`1`", "`-2.5`", "`[1, \"a\", null]`", "`{\"a\": 1}`",
    "'t'",
    "''", "(", ")", "[", "]", "{", "}", "[?", "[]", "[*]", "[0]", "[-1]", "[1:]", "[::-1]", "[::0]",
    ".", "*", ".*", ",", ":", "?", "&", "&&", "|", "||", "!", "==", "!=", "<", "<=", ">", ">=", "=",
    "+", "-", "×", "/", "//", "%", "let", "in", "let $x = a in", "length(", "sort_by(", "map(&",
    "values(", "sum(", "to_string(", "replace(", "split(", "pad_left(", "find_first(",
    "from_items(",
    "items(", "group_by(", "zip(", "any(", "lookup(", "merge(", "join(", "0", "-1",
    "99999999999999999999",
    "é", "\u{0}", "😀", "`", "'", "\"", "\\", " ", "\n", "#", "`1e999`", "trim(", "avg(", "max_by(",
  ]
  static let given: JSON = [
    "a": [3, 1, 2], "b": ["x": ["a": 1, "b": "t"], "y": ["a": 2.5, "b": "é😀"]], "c d": "text",
    "t": .null,
  ]

  @Test func `random tokens never end the process`() throws {
    var generator = SeededGenerator(seed: testSeed())
    var accepted = 0
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...14, using: &generator) {
        text += generator.pick(Self.pieces)
      }
      if check(text) { accepted += 1 }
    }
    #expect(accepted > 50)
  }

  /// Sentences of the grammar, most of which are accepted and evaluated.
  @Test func `random expressions have a value or an error with a place`() throws {
    var generator = SeededGenerator(seed: testSeed())
    var accepted = 0
    for _ in 0..<20_000 {
      if check(expression(4, &generator)) { accepted += 1 }
    }
    #expect(accepted > 15_000)
  }

  private func expression(_ depth: Int, _ generator: inout SeededGenerator) -> String {
    let leaves = [
      "a", "b", "b.x", "b.*", "@", "$", "`1`", "`2.5`", "'t'", "\"c d\"", "t", "`null`", "`[]`",
      "$v",
      "`[[1, 2], [3]]`", "a[0]", "a[*]", "`9223372036854775807`", "'é😀'",
    ]
    guard depth > 0 else { return generator.pick(leaves) }
    func next() -> String {
      expression(depth - Int.random(in: 1...2, using: &generator), &generator)
    }
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: return generator.pick(leaves)
    case 1: return "(\(next())) | \(next())"
    case 2:
      return
        "(\(next()))\(generator.pick(["[0]", "[*]", "[]", "[1:]", "[::-1]", ".*", ".a", "[?a]"]))"
    case 3: return "[\(next()), \(next())]"
    case 4: return "{a: \(next()), b: \(next())}"
    case 5: return "(\(next())) \(generator.pick(["+", "-", "*", "/", "//", "%"])) (\(next()))"
    case 6: return "(\(next())) \(generator.pick(["==", "!=", "<", ">=", "&&", "||"])) (\(next()))"
    case 7: return "!(\(next()))"
    case 8: return "(\(next())) ? \(next()) : \(next())"
    case 9: return "let $v = \(next()) in \(next())"
    case 10: return "(\(next()))[?\(next())].a"
    case 11:
      return generator.pick([
        "length", "keys", "values", "items", "sum", "avg", "max", "min", "sort", "reverse", "type",
        "to_string", "to_number", "to_array", "abs", "ceil", "floor", "from_items", "upper", "trim",
      ]) + "(\(next()))"
    case 12:
      return generator.pick([
        "contains", "lookup", "zip", "merge", "not_null", "join", "split", "pad_left",
      ])
        + "(\(next()), \(next()))"
    default:
      return generator.pick(["sort_by", "max_by", "group_by", "any", "all"])
        + "(\(next()), &(\(next())))"
    }
  }

  /// Whether the text is accepted.
  private func check(_ text: String) -> Bool {
    do throws(QueryError) {
      let expression = try Expression(parsing: text, limits: .default)
      let canonical = expression.canonicalText
      #expect(
        (try? Expression(parsing: canonical))?.canonicalText == canonical,
        "\(text) became \(canonical)"
      )
      let variables: JSON.Object = ["x": [1, "a"], "v": ["a": 1]]
      let outcome = outcome(expression, variables, Value(Self.given))
      // The canonical text, and live data, have the same outcome.
      let again = self.outcome(try Expression(parsing: canonical), variables, Value(Self.given))
      #expect(outcome == again, "\(text) became \(canonical)")
      let log = RecordingNode.Log()
      log.knowsPartitions = true
      let live = Value.node(RecordingNode(Self.given, log: log), nil)
      #expect(self.outcome(expression, variables, live) == outcome, "\(text)")
      return true
    } catch {
      #expect(error.line > 0 && error.column > 0 && !error.message.isEmpty, "\(text)")
      #expect(!error.excerpt(of: text).isEmpty)
      return false
    }
  }

  private func outcome(
    _ expression: Expression,
    _ variables: JSON.Object,
    _ root: Value
  ) -> String {
    do throws(QueryError) {
      let query = try PreparedQuery(expression, variables: variables)
      var writer = JSONWriter()
      try query.evaluate(root, limits: .default).write(to: &writer, limit: 100_000)
      return String(decoding: writer.bytes, as: UTF8.self)
    } catch { return error.code.rawValue }
  }
}
