import ObsQuery
import ObsWire
import Testing

/// Walks that are fused give what the parts give one after another.
@Suite(.timeLimit(.minutes(5)))
struct FusionTests {
  static let model: JSON = [
    "m": ["a": ["n": 1, "s": "x"], "b": .null, "c": ["n": 3, "s": "x"], "d": 7],
    "l": [["n": 2, "s": "x"], .null, ["n": 1], 5, ["n": .null, "s": "y"]],
  ]

  static let walks: [(String, JSON)] = [
    // A projection leaves out null, `values` keeps it.
    ("(m.*)[?'t'].{n: n}", [["n": 1], ["n": 3], ["n": .null]]),
    ("values(m)[?'t'].{n: n}", [["n": 1], ["n": .null], ["n": 3], ["n": .null]]),
    ("length(m.*)", 3), ("length(values(m))", 4), ("length(values(m)[*])", 3),
    ("length(values(m)[?s == 'x'])", 2), ("length((m.*)[?s == 'x'])", 2),
    ("length(l)", 5), ("length(l[*])", 4), ("length(l[?n])", 2), ("length(l[*].n)", 2),
    ("length(map(&n, l))", 5), ("length(items(m)[?[1].n])", 2), ("length(m.*.n | [?@ > `1`])", 1),
    ("sum(values(m)[?s == 'x'].n)", 4), ("max_by(l[?n], &n).n", 2),
    ("any(values(m)[*].n, &(@ == `3`))", true), ("length(missing[*].a || l)", 5),
    ("length(let $x = l in $x[?n])", 2), ("[length(keys(m)), length(to_array(m))]", [4, 1]),
  ]

  @Test(arguments: walks)
  func `a fused walk has the same value`(text: String, value: JSON) throws {
    let query = try PreparedQuery(try Expression(parsing: text))
    #expect(try query.evaluate(Value(Self.model)).json == value)
    let log = RecordingNode.Log()
    log.knowsPartitions = true
    #expect(try query.evaluate(.node(RecordingNode(Self.model, log: log), nil)).json == value)
  }

  static let sums: [(String, JSON)] = [
    ("sum(l[*].x)", 0), ("sum([`0.1`, `0.2`, `0.3`])", 0.6),
    ("sum([`1e308`, `1e308`, `-1e308`])", 1e308),
    ("sum([`9223372036854775807`, `1`, `-2`])", 9_223_372_036_854_775_806),
    ("sum([`9007199254740993`, `0.0`])", 9_007_199_254_740_992.0),
    ("sum([`9007199254740993`, `0.5`])", 9_007_199_254_740_994.0),
    ("sum([`5e-324`, `5e-324`])", .double(.leastNonzeroMagnitude * 2)),
    ("sum([`1.0`, `1e100`, `1.0`, `-1e100`])", 2.0),
    ("avg([`1`, `2`])", 1.5),
    (
      "avg([`9223372036854775807`, `9223372036854775807`])",
      9_223_372_036_854_775_807.0
    ),
    ("avg([`0.1`, `0.2`, `0.3`])", 0.2), ("avg([`-1.5`, `0.5`])", -0.5),
  ]

  @Test(arguments: sums)
  func `sums are exact and rounded once`(text: String, value: JSON) throws {
    let query = try PreparedQuery(try Expression(parsing: text))
    #expect(try query.evaluate(Value(Self.model)).json == value, "\(text)")
  }

  @Test func `registered functions are called by name and may answer with live data`() throws {
    let expression = try Expression(
      parsing: "top(`2`).a.n + twice(m.c.n)",
      functions: ["top": .exactly(1), "twice": .exactly(1)]
    )
    #expect(expression.functionNames == ["top", "twice"])
    let log = RecordingNode.Log()
    let top: RegisteredFunction = { (_) throws(QueryError) -> Value in
      .node(RecordingNode(["a": ["n": 10], "b": 1], log: log), nil)
    }
    let twice: RegisteredFunction = { (arguments) throws(QueryError) -> Value in
      guard case .int(let number) = arguments[0] else {
        throw QueryError(.invalidType, "no integer")
      }
      return .int(number * 2)
    }
    let query = try PreparedQuery(expression, functions: ["top": top, "twice": twice])
    #expect(try query.evaluate(Value(Self.model)).json == 16)
    #expect(log.reads == ["a", "a.n"])
    #expect {
      try query.evaluate(Value(["m": ["c": ["n": "x"]]]))
    } throws: { error in (error as? QueryError)?.offset == 15 }
    #expect(throws: QueryError.self) { try PreparedQuery(expression, functions: ["top": top]) }
    #expect(!Expression.isFunctionName("length") && !Expression.isFunctionName("query"))
    #expect(Expression.isFunctionName("top") && !Expression.isFunctionName("1a"))
  }
}
