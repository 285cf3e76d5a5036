import ObsQuery
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WarningTests {
  @Test(arguments: [
    ("!a.b", "!(a.b)", 0), ("x[?!a.b]", "!(a.b)", 3), ("!a == b", "!(a == b)", 0),
    ("x[?c][0]", "| [0]", 5), ("'5' == `5`", "never equal", 4), ("`5` < '5'", "never equal", 4),
    ("a || reverse(sort_by(x, &n))", "sort_by(x, &(-n))", 5),
  ])
  func `what is probably not meant is said`(text: String, words: String, offset: Int) throws {
    let warnings = try Expression(parsing: text).warnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.message.contains(words) == true)
    #expect(warnings.first?.offset == offset)
    #expect(warnings.first?.column == offset + 1)
  }

  @Test(arguments: [
    "!(a.b)", "(!a).b", "x[?c] | [0]", "x[?c].d", "a == `5`", "reverse(a)", "!a && b", "a[0]",
  ])
  func `what is clear gives no warning`(text: String) throws {
    #expect(try Expression(parsing: text).warnings.isEmpty)
  }
}
