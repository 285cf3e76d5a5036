import ObsQuery
import ObsWire
import Testing

/// How much an evaluation may do, whatever it is asked (docs/LANGUAGE.md, "Limits").
@Suite(.timeLimit(.minutes(5)))
struct EvaluationBudgetTests {
  static let model: JSON = [
    "rows": .array(
      (0..<3_000).map { ["i": .int($0), "name": .string("row \($0)"), "tags": ["a", "b"]] }
    ),
    "text": .string(String(repeating: "a", count: 100_000)),
  ]

  private func code(
    _ text: String,
    _ limits: EvaluationLimits = .default
  ) throws -> QueryError.Code? {
    let query = try PreparedQuery(try Expression(parsing: text))
    do throws(QueryError) {
      let value = try query.evaluate(Value(Self.model), limits: limits)
      var writer = JSONWriter()
      try value.write(to: &writer, limit: limits.resultBytes)
      return nil
    } catch {
      #expect(error.code == .resultTooLarge || error.line > 0)
      #expect(query.lastSteps <= limits.steps)
      return error.code
    }
  }

  @Test(arguments: [
    "rows[*].[let $i = i in length($.rows[?i != $i])]",
    "rows[?contains($.rows, @)]",
    "rows[*].length(sort_by($.rows, &name))",
    "rows[?$.rows == $.rows]",
    "rows[*].sum($.rows[*].i)",
    "rows[*].length(to_string($.rows))",
    "rows[*].length(upper($.text))",
    "rows[*].length(reverse($.text))",
    "rows[*].length($.text)",
    "rows[*].length(split($.text, ''))",
    "rows[*].length(replace($.text, 'a', 'bbbbbbbbbb'))",
    "rows[*].find_last($.text, 'aab')",
    "rows[*].length(pad_left('', `10000`))",
    "rows[*].length(join('', $.rows[*].name))",
    "rows[*].length(group_by($.rows, &name))",
    "rows[*].length(merge({a: $.rows}, @))",
    "rows[*].length(zip($.rows, $.rows))",
    "rows[*].length($.rows[::-1])",
    "rows[*].max_by($.rows, &name)",
    "[" + String(repeating: "@.rows[*],", count: 60) + "@]",
  ])
  func `no query goes on for ever`(text: String) throws {
    let code = try code(text)
    #expect(code == .budgetExceeded || code == .resultTooLarge || code == nil, "\(text)")
    var limits = EvaluationLimits.default
    limits.steps = 10_000
    limits.elements = 1_000
    limits.stringBytes = 10_000
    limits.resultBytes = 10_000
    let small = try self.code(text, limits)
    #expect(small == .budgetExceeded || small == .resultTooLarge, "\(text)")
  }

  @Test func `a bomb of nested lists is stopped while it is written`() throws {
    var text = "let $b = [@, @]"
    for _ in 0..<40 { text += " in let $b = [$b, $b]" }
    #expect(try code(text + " in $b") == .resultTooLarge)
    #expect(try code(text + " in length(to_string($b))") == .budgetExceeded)
    #expect(try code("[" + String(repeating: "@, ", count: 400) + "@]") == .resultTooLarge)
  }

  /// The steps that a query of a list takes.
  private func steps(_ text: String, over elements: [JSON]) throws -> Int {
    let query = try PreparedQuery(try Expression(parsing: text))
    _ = try query.evaluate(Value(.array(elements)))
    return query.lastSteps
  }

  @Test func `groups, remainders and texts taken apart count what they cost`() throws {
    let texts = (0..<1_000).map { JSON.string("text \($0)") }
    let equal = [JSON](repeating: "text", count: 1_000)
    #expect(try steps("length(group_by(@, &@))", over: equal) >= 6_000)
    // A key that is new makes a group.
    #expect(try steps("length(group_by(@, &@))", over: texts) >= 11_000)

    let near = [JSON](repeating: 10.5, count: 1_000)
    let far = [JSON](repeating: 1e300, count: 1_000)
    for text in ["length([?@ % `3.7` < `0`])", "length([?@ // `3.7` < `0`])"] {
      let nearSteps = try steps(text, over: near)
      #expect(try steps(text, over: far) >= nearSteps + 20_000)
    }
    let long = JSON.string(String(repeating: " ", count: 1_000))
    for text in ["trim([0])", "[0] | @[::2]"] {
      #expect(try steps(text, over: [long]) >= 2_000, "\(text)")
    }
    #expect(try steps("reverse([0])", over: [long]) >= 1_000)
  }

  @Test func `widths of padding are limited`() throws {
    #expect(try code("pad_left('a', `1000000000`)") == .budgetExceeded)
    #expect(try code("pad_right('a', `1e300`)") == .budgetExceeded)
    #expect(try code("pad_left('a', `10000`)") == nil)
  }

  @Test func `steps do not depend on what was evaluated before`() throws {
    let query = try PreparedQuery(
      try Expression(parsing: "sort_by(rows[?i > `5`].{n: name, i: i, x: y}, &n)[*].x")
    )
    let first = try query.evaluate(Value(Self.model)).json
    let steps = query.lastSteps
    #expect(steps > 3_000)
    for _ in 0..<3 {
      #expect(try query.evaluate(Value(["rows": [["y": 1, "i": 9, "name": "n"]]])).json == [1])
      #expect(try query.evaluate(Value(Self.model)).json == first)
      #expect(query.lastSteps == steps)
    }
    var limits = EvaluationLimits.unlimited
    limits.steps = steps
    #expect(throws: Never.self) { try query.evaluate(Value(Self.model), limits: limits) }
    limits.steps = steps - 1
    #expect(throws: QueryError.self) { try query.evaluate(Value(Self.model), limits: limits) }
  }
}
