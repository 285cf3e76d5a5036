import ObsQuery
import ObsWire
import Testing

/// How large and how deep a text may be (docs/LANGUAGE.md, "Limits").
@Suite(.timeLimit(.minutes(5)))
struct ExpressionLimitTests {
  private func code(_ text: String, _ limits: ExpressionLimits = .default) -> QueryError.Code? {
    ExpressionErrorTests.error(text, limits)?.code
  }

  private func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test func `nesting without end is an error and no stack overflow`() {
    let count = 10_000
    let texts = [
      repeated("(", count) + "a" + repeated(")", count),
      repeated("(", count), repeated("[", count), repeated("{a:", count), repeated("!", count),
      repeated("- ", count) + "a", repeated("a[?", count), repeated("abs(", count),
      repeated("map(&", count), repeated("let $a = ", count), repeated("let $a = b in ", count),
      repeated("a ? b : ", count) + "c", repeated("a ? ", count), repeated("[*].a", count),
      repeated("*.", count) + "a", repeated("a == ", count) + "b", repeated("a + ", count) + "b",
      repeated("[0]", count), repeated("[][]", count),
      "`" + repeated("[", 3_000) + repeated("]", 3_000) + "`",
    ]
    for text in texts {
      let unlimited = code(text, .unlimited)
      #expect(unlimited == .tooComplex || unlimited == .syntax, "\(text.prefix(20))")
      #expect(code(text) == .tooComplex, "\(text.prefix(20))")
    }
  }

  @Test func `what is long and not deep has no limit but the set one`() throws {
    let count = 5_000
    for text in [
      repeated("a.", count) + "a", repeated("a || ", count) + "a", repeated("a && ", count) + "a",
      repeated("a | ", count) + "a", "[" + repeated("a, ", count) + "a]",
      "not_null(" + repeated("a, ", count) + "a)",
    ] {
      #expect(code(text, .unlimited) == nil, "\(text.prefix(20))")
      #expect(code(text) == .tooComplex, "\(text.prefix(20))")
      let query = try PreparedQuery(try Expression(parsing: text))
      #expect(throws: Never.self) { try query.evaluate(Value(["a": ["b": 1]])) }
    }
  }

  @Test func `each limit is exact`() {
    var limits = ExpressionLimits.unlimited
    limits.textBytes = 4
    #expect(code("abcd", limits) == nil)
    #expect(code("abcde", limits) == .tooComplex)
    limits = .unlimited
    limits.nodes = 3
    #expect(code("a.b", limits) == nil)
    #expect(code("a.b.c", limits) == .tooComplex)
    limits = .unlimited
    limits.depth = 3
    #expect(code("((a))", limits) == nil)
    #expect(code("(((a)))", limits) == .tooComplex)
    limits = .unlimited
    limits.literalBytes = 4
    #expect(code("['ab', `12`]", limits) == nil)
    #expect(code("['ab', `123`]", limits) == .tooComplex)
    limits = .unlimited
    limits.variables = 2
    #expect(code("let $a = $b in [$a, $b, $b]", limits) == nil)
    #expect(code("let $a = $b in [$a, $b, $c]", limits) == .tooComplex)
  }

  @Test(arguments: [
    ("a.b", 0), ("a[0]", 0), ("length(a)", 0), ("lookup(a, b)", 0), ("a == b", 0),
    ("a[*].b", 1), ("values(a)[?b == 'x'].c", 1), ("a[*].b[*].c[*].d", 1), ("a[].b[].c", 1),
    ("sort_by(a, &b)[*].{c: sum(d[*].e)}", 1), ("a[*].b | [*].c", 1),
    ("let $u = users in map(&lookup($u, id).name, values(a))", 1),
    ("values(a)[?b == $.c.d]", 1), ("a[?contains(labels, $label)]", 1),
    ("a[?contains($ids, id)]", 2), ("a[*].[$.users[*]]", 2), ("let $u = u in a[*].[sum($u)]", 2),
    ("a[*].[let $l = labels in $l[*].b]", 1), ("a[*].labels[*].[let $l = @ in $l.b[*]]", 1),
    ("a[*].[let $l = labels in labels[?contains($l, @)]]", 2), ("a[*].[$ | values(users)]", 2),
    ("map(&any(values($.b), &any(values($.c), &(x == y))), values(a))", 3),
  ])
  func `the nesting degree counts walks over what does not come from the element`(
    text: String,
    degree: Int
  ) throws {
    #expect(try Expression(parsing: text).nestingDegree == degree, "\(text)")
    #expect(code(text) == (degree > 2 ? .tooComplex : nil), "\(text)")
  }
}
