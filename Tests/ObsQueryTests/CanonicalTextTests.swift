import ObsQuery
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CanonicalTextTests {
  @Test(arguments: [
    (" a . b [ 0 ] ", "a.b[0]"),
    ("\"a\".\"b c\"", "a.\"b c\""),
    ("((a))", "a"),
    ("(a || b) && (c)", "(a||b)&&c"),
    ("(a && b) || c", "a&&b||c"),
    ("(a == b) || c", "a==b||c"),
    ("a == `\"x\"`", "a=='x'"),
    ("a == `1.50`", "a==`1.5`"),
    ("a == `{\"b\": 1, \"a\" :[ ]}`", "a==`{\"a\":[],\"b\":1}`"),
    ("a − b × c ÷ d", "a-b*c/d"),
    ("a[?b].c[*]", "a[?b].c[*]"),
    ("(a[*]).b", "(a[*]).b"),
    ("a[0:2:1]", "a[0:2]"),
    ("let $a = b , $c = d in [ $a , $c ]", "let $a=b,$c=d in [$a,$c]"),
    ("sort_by( a , & b )", "sort_by(a,&b)"),
    ("a ? b : c", "a?b:c"),
    ("{a: b, \"c\" : d}", "{a:b,c:d}"),
    ("@.*.a[?b]", "@.*.a[?b]"),
    ("*.a[?b]", "*.a[?b]"),
    ("(@)[0]", "[0]"),
    ("(a && let $x = b in $x) || c", "(a&&let $x=b in $x)||c"),
    ("'it\\'s'", "'it\\'s'"),
    ("'a\\b'", "`\"a\\\\b\"`"),
  ])
  func `spellings of one expression have one text`(text: String, canonical: String) throws {
    let expression = try Expression(parsing: text)
    #expect(expression.canonicalText == canonical)
    #expect(try Expression(parsing: canonical).canonicalText == canonical)
  }

  @Test(.enabled(if: ConformanceSuites.folder != nil, ConformanceSuites.comment))
  func `the canonical text has the same value`() throws {
    for directory in ["jmespath", "jmespath-community", "jmespath-own", "derived"] {
      let escapes: RawStringEscapes = directory == "jmespath-community" ? .community : .official
      for test in try ConformanceSuites.cases(directory) {
        guard let expression = try? Expression(parsing: test.expression, escapes: escapes) else {
          continue
        }
        let canonical = expression.canonicalText
        var copy = test
        copy.expression = canonical
        let outcome = copy.outcome(over: Value(test.given), escapes: escapes)
        #expect(test.agrees(outcome), "\(test.expression) became \(canonical): \(outcome)")
        #expect(
          (try? Expression(parsing: canonical, escapes: escapes))?.canonicalText == canonical,
          "\(test.expression) became \(canonical)"
        )
      }
    }
  }
}
