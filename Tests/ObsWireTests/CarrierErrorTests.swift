import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CarrierErrorTests {
  private func error(
    _ text: String,
    _ variables: JSON.Object = [:],
    limits: CarrierLimits = CarrierLimits()
  ) throws -> WireError {
    let error = #expect(throws: WireError.self) {
      try CarrierDocument(parsing: text, variables: variables, limits: limits)
    }
    return try #require(error)
  }

  /// Text, place in code points, and a part of the message.
  static let refused: [(text: String, offset: Int, message: String)] = [
    ("", 0, "`query`, `subscription` or `mutation`"),
    ("{ a }", 0, "found `{`"),
    ("fragment F on T { a }", 0, "found `fragment`"),
    ("query", 5, "found the document ends"),
    ("query {", 7, "the name of a field"),
    ("query { }", 8, "found `}`"),
    ("query { a", 9, "found the document ends"),
    ("query { a } }", 12, "the end must stand here, but found `}`"),
    ("query { a } query { b }", 12, "more than one operation"),
    ("query { a } { b }", 12, "more than one operation"),
    ("query { a } fragment F on T { a }", 12, "fragments are not supported"),
    ("query { ...F }", 8, "fragments are not supported"),
    ("query { a { ... on T { b } } }", 12, "fragments are not supported"),
    ("query { a ... @include(if: true) { b } }", 10, "fragments are not supported"),
    ("query { a @include(if: true) }", 10, "directives are not supported"),
    ("query { @a }", 8, "directives are not supported"),
    ("query @live { a }", 6, "directives are not supported"),
    ("query Q($a: Int @b) { a }", 16, "directives are not supported"),
    ("query { a() }", 10, "an argument must stand here"),
    ("query { a(b) }", 11, "`:` must stand here, but found `)`"),
    ("query { a(b:) }", 12, "a value must stand here, but found `)`"),
    ("query { a(b: 1, b: 2) }", 16, "`b` is given twice"),
    ("query { a(b: {c: 1, c: 1}) }", 20, "`c` is given twice"),
    ("query { a(1: 2) }", 10, "found the number 1"),
    ("query { a(b: [1) }", 15, "a value must stand here, but found `)`"),
    ("query { a(\"b\": 1) }", 10, "found a text"),
    ("query { a(b: 01) }", 13, "must not begin with 0"),
    ("query { a(b: -) }", 14, "a digit must stand here, but found `)`"),
    ("query { a(b: 1.) }", 15, "a digit must stand here"),
    ("query { a(b: 1e) }", 15, "a digit must stand here"),
    ("query { a(b: .5) }", 13, "`.` cannot stand here"),
    ("query { a(b: 1x) }", 14, "`x` cannot stand right after a number"),
    ("query { a(b: 1.2.3) }", 16, "`.` cannot stand right after a number"),
    ("query { a(b: +1) }", 13, "`+` cannot stand here"),
    ("query { a(b: 'c') }", 13, "`'` cannot stand here"),
    ("query { a(b: \"c) }", 13, "is not closed"),
    ("query { a(b: \"c\nd\") }", 13, "is not closed"),
    ("query { a(b: \"\"\"c\"\") }", 13, "is not closed"),
    ("query { a(b: \"c\\", 15, "escape is unknown"),
    ("query { a(b: \"\\x41\") }", 14, "escape is unknown"),
    ("query { a(b: \"\\u12\") }", 14, "names no character"),
    ("query { a(b: \"\\u", 14, "names no character"),
    ("query { a(b: \"\\uD83D\") }", 14, "names no character"),
    ("query { a(b: \"\\uD83D\\u0041\") }", 14, "names no character"),
    ("query { a(b: \"\\uDE00\\uD83D\") }", 14, "names no character"),
    ("query { a(b: \"\\u{D83D}\\u{DE00}\") }", 14, "names no character"),
    ("query { a(b: \"\\u{110000}\") }", 14, "names no character"),
    ("query { a(b: \"\\u{FFFFFFFFFFFFFFFFF}\") }", 14, "names no character"),
    ("query { a(b: \"\\u{}\") }", 14, "names no character"),
    ("query { é }", 8, "`é` cannot stand here"),
    ("query { \u{1} }", 8, "U+0001 cannot stand here"),
    ("query { a: }", 11, "the name of a field"),
    ("query { a.b }", 9, "`.` cannot stand here"),
    ("query { a { b(c: 1) } }", 13, "`b` takes no arguments here"),
    ("query { __typename(a: 1) }", 18, "`__typename` takes no arguments here"),
    ("query { __typename { a } }", 19, "`__typename` has no fields"),
    ("query { a: b a: c }", 13, "`a` stands for two different fields"),
    ("query { a a { b } }", 10, "`a` stands for two different fields"),
    ("query { a(x: 1) a(x: 2) }", 16, "`a` stands for two different fields"),
    ("query { a { b: c } a { b } }", 23, "`b` stands for two different fields"),
    ("query { a { b: __typename b } }", 26, "`b` stands for two different fields"),
    ("query () { a }", 7, "`$` must stand here"),
    ("query ($a) { a }", 9, "`:` must stand here"),
    ("query ($a: [Int) { a }", 15, "`]` must stand here"),
    ("query ($a: 1) { a }", 11, "a type must stand here"),
    ("query ($a: Int = $b, $b: Int) { a }", 17, "a value must stand here"),
    ("query ($a: Int, $a: Int) { a }", 16, "`$a` is defined twice"),
    ("query { a(b: $) }", 14, "the name of a variable"),
    ("query { a(b: & ) }", 13, "a value must stand here, but found `&`"),
  ]

  @Test(arguments: refused)
  func `a text that is not supported is refused with its place and a hint`(
    text: String,
    offset: Int,
    message: String
  ) throws {
    let error = try error(text)
    #expect(error.code == .syntax)
    #expect(error.message.contains(message), "\(error.message)")
    #expect(error.extensions["offset"] == .int(Int64(offset)))
    #expect(error.locations.count == 1)
    #expect(error.hint?.isEmpty == false)
  }

  @Test func `places count code points, and lines of every kind`() throws {
    let error = try error("# é😀\r\nquery {\r  a(b: \"😀e\u{301}\",\n\t\"\"\"\n\"\"\" ?)}")
    #expect(error.locations == [.init(line: 4, column: 2)])
    #expect(error.extensions["offset"] == 29)
    let later = try self.error("query {\n a(b: \"é😀\" ?) }")
    #expect(later.locations == [.init(line: 2, column: 12)])
    #expect(later.extensions["offset"] == 19)
  }

  @Test(arguments: [
    ("query { a(b: 9223372036854775808) }", 13), ("query { a(b: -9223372036854775809) }", 13),
    ("query { a(b: [1e400]) }", 14), ("query { a(b: -1e99999999999999999999) }", 13),
  ])
  func `numbers out of range are refused`(text: String, offset: Int64) throws {
    let error = try error(text)
    #expect(error.code == .numberRange)
    #expect(error.extensions["offset"] == .int(offset))
    #expect(error.hint != nil)
  }

  @Test func `variables must be defined, and given where their type says so`() throws {
    var error = try error("query { a(b: [$c]) }", ["c": 1])
    #expect(error.code == .undefinedVariable)
    #expect(error.message == "the variable `$c` is not defined")
    #expect(error.locations == [.init(line: 1, column: 15)])
    error = try self.error("query ($c: [Int]!) { a(b: $c) }")
    #expect(error.code == .undefinedVariable)
    #expect(error.message == "the variable `$c` is not given")
    #expect(error.locations == [.init(line: 1, column: 8)])
    #expect(throws: Never.self) {
      try CarrierDocument(parsing: "query ($c: [Int!], $d: Int! = 1) { a(b: $c) }")
    }
  }

  @Test(arguments: [
    "query { __schema { types { ...F } } } fragment F on T { a }",
    "query Introspection { __typename x: __type(name: \"A\") { name } }",
  ])
  func `introspection is refused as such`(text: String) throws {
    #expect(try error(text).code == .introspectionNotSupported)
  }

  @Test func `limits are named`() throws {
    func limit(_ text: String, _ limits: CarrierLimits = CarrierLimits()) throws -> JSON? {
      let error = try error(text, limits: limits)
      #expect(error.code == .tooComplex)
      #expect(error.hint != nil)
      return error.extensions["limit"]
    }
    func wide(_ count: Int) -> String {
      "query { a(b: [\(String(repeating: "1 ", count: count))]) }"
    }
    #expect(throws: Never.self) { try CarrierDocument(parsing: wide(498)) }
    #expect(try limit(wide(499)) == "nodes")
    #expect(try limit("query { a b c }", .init(maximumNodes: 2)) == "nodes")
    #expect(throws: Never.self) {
      try CarrierDocument(parsing: "query { a b c }", limits: .init(maximumNodes: 3))
    }
    #expect(try limit("query { \(String(repeating: "a", count: 8192)) }") == "bytes")
    for (open, close, fits) in [("{a", "}", 50), ("[", "]", 48), ("{a:", "}", 48)] {
      func nested(_ count: Int) -> String {
        let isSelection = close == "}" && open == "{a"
        let inner = isSelection ? "" : "1"
        let text =
          String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        return isSelection ? "query \(text)" : "query { a(b: [\(text)]) }"
      }
      #expect(throws: Never.self) { try CarrierDocument(parsing: nested(fits)) }
      #expect(try limit(nested(fits + 1)) == "depth")
      let all = CarrierLimits(maximumBytes: .max, maximumDepth: .max, maximumNodes: .max)
      #expect(try limit(nested(100_000), all) == "depth")
    }
    let brackets = String(repeating: "[", count: 100_000)
    #expect(
      try error("query ($a: \(brackets)Int) { a }", limits: .init(maximumBytes: .max)).code
        == .syntax
    )
  }
}
