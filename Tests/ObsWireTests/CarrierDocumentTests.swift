import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CarrierDocumentTests {
  private func arguments(
    _ literals: String,
    defining definitions: String = "",
    _ variables: JSON.Object = [:]
  ) throws -> JSON.Object {
    let document = try CarrierDocument(
      parsing: "query \(definitions) { f(\(literals)) }",
      variables: variables
    )
    return document.fields[0].arguments
  }

  @Test(arguments: [
    "query { a }", "subscription Open { a }", "mutation($a: Int) { b }", "query @live { a }",
    "query Q($a: Int) { b }", "query Q @live { a }", " \t\r\n,query{a}", "# a\n#b\rquery{a}",
    "\u{FEFF}query {", "query(", "subscription # why\n, name # because\n {",
  ])
  func `text that begins like an operation is a carrier`(text: String) {
    #expect(CarrierDocument.isCarrier(text))
  }

  @Test(arguments: [
    "", "{ a }", "{a: b}", "query", "query.state", "query Name", "queries { a }", "Query { a }",
    "query | {a: b}", "query[0]", "values(query)", "query a b {", "fragment F on T { a }",
    "'query {'", "quéry {", "query\u{301} {", "\u{A0}query {", "#query {", "\u{EF}query {",
  ])
  func `other text is none`(text: String) {
    #expect(!CarrierDocument.isCarrier(text))
  }

  @Test func `keyword, aliases, arguments and selections are read`() throws {
    let text = """
      # the newest ones
      subscription Open($n: Int! = 5, $s: [[State!]]!) {
        newest(limit: $n, states: $s) { id, name: title author { login } __typename }
        count
        second: count
        kind: __typename
      }
      """
    let document = try CarrierDocument(parsing: text, variables: ["s": [["open"]], "unused": 1])
    #expect(document.kind == .subscription)
    #expect(document.kind.typeName == "Subscription")
    #expect(document.fields.map(\.responseKey) == ["newest", "count", "second", "kind"])
    #expect(document.fields.map(\.name) == ["newest", "count", "count", "__typename"])
    #expect(document.fields.map(\.isTypeName) == [false, false, false, true])
    #expect(document.fields[0].arguments == ["limit": 5, "states": [["open"]]])
    let selection = try #require(document.fields[0].selection)
    #expect(selection.map(\.responseKey) == ["id", "name", "author"])
    #expect(selection.map(\.name) == ["id", "title", "author"])
    #expect(selection[2].selection?.map(\.name) == ["login"])
    #expect(document.fields[1].selection == nil)
    #expect(document.fields[1].location == .init(line: 4, column: 3))
    #expect(document.fields[0].offset == 71)
  }

  @Test func `literals are JSON values`() throws {
    #expect(
      try arguments(
        #"a: 1, b: -0, c: 1.5e3, d: "x", e: true, f: false, g: null, h: open, i: [1 [] {}], j: {k: {l: "m"}}"#
      ) == [
        "a": 1, "b": 0, "c": 1500, "d": "x", "e": true, "f": false, "g": .null, "h": "open",
        "i": [1, [], [:]], "j": ["k": ["l": "m"]],
      ]
    )
  }

  @Test func `integers are exact, other numbers the nearest double`() throws {
    let values = try arguments(
      "a: 9223372036854775807, b: -9223372036854775808, c: 1.0, d: 0.1, e: -0.0, f: 1e-400, g: 1E+2, h: 0"
    )
    #expect(
      JSON.object(values).description
        == #"{"a":9223372036854775807,"b":-9223372036854775808,"c":1.0,"d":0.1,"e":-0.0,"f":0.0,"g":100.0,"h":0}"#
    )
  }

  @Test func `escapes in text`() throws {
    #expect(
      try arguments(#"a: "\"\\\/\b\f\n\r\t\u00e9\u{1F600}\uD83D\uDE00\u{e9}é\u0000", b: """#) == [
        "a": "\"\\/\u{8}\u{C}\n\r\t\u{e9}\u{1F600}\u{1F600}\u{e9}\u{e9}\0", "b": "",
      ]
    )
    #expect(try arguments("a: \"# no comment, no end {\"") == ["a": "# no comment, no end {"])
  }

  @Test(arguments: [
    ("\"\"\"\"\"\"", ""),
    ("\"\"\"a\"\"\"", "a"),
    (
      "\"\"\"\n    Hello,\n      World!\r\n\n    Yours,\r      GraphQL.\n  \"\"\"",
      "Hello,\n  World!\n\nYours,\n  GraphQL."
    ),
    ("\"\"\"  a\n    b\n   c \t\n \n\"\"\"", "  a\n b\nc \t"),
    ("\"\"\" \\n \\\"\"\" \"\" \"\"\"", " \\n \"\"\" \"\" "),
    ("\"\"\" \n \t\n\"\"\"", ""),
    ("\"\"\"a\n\n\n  b\"\"\"", "a\n\n\nb"),
  ])
  func `block text loses its common indentation`(literal: String, text: String) throws {
    #expect(try arguments("a: \(literal)") == ["a": .string(text)])
  }

  @Test func `variables: given, null, by default, absent`() throws {
    let definitions = "($a: Int, $b: Int = 2, $c: Int = 3, $d: [S!] = [x, {y: 1}], $e: Int!)"
    let values = try arguments(
      "a: $a, b: $b, c: $c, d: $d, e: $e, list: [$a, $b], object: {a: $a, b: $b}",
      defining: definitions,
      ["b": .null, "e": 5, "z": 1]
    )
    #expect(
      values == [
        "b": .null, "c": 3, "d": ["x", ["y": 1]], "e": 5, "list": [.null, .null],
        "object": ["b": .null],
      ]
    )
  }

  @Test func `fields that mean the same are one`() throws {
    let document = try CarrierDocument(
      parsing: "query { a(x: 1) { b c: d { e } } a(x: 1.0) { c: d { f e } __typename } g g }"
    )
    #expect(document.fields.map(\.responseKey) == ["a", "g"])
    let selection = try #require(document.fields[0].selection)
    #expect(selection.map(\.responseKey) == ["b", "c"])
    #expect(selection[1].selection?.map(\.name) == ["e", "f"])
  }

  @Test func `keywords and literals can be names`() throws {
    let document = try CarrierDocument(
      parsing: "query query { query(query: subscription) mutation { true null on fragment } }"
    )
    #expect(document.fields.map(\.name) == ["query", "mutation"])
    #expect(document.fields[0].arguments == ["query": "subscription"])
    #expect(document.fields[1].selection?.map(\.name) == ["true", "null", "on", "fragment"])
  }

  @Test func `a selection is a projection`() throws {
    let text = "query { f { id name: title author { login } tags map { x { y } } __typename } }"
    let selection = try CarrierDocument(parsing: text).fields[0].selection
    let value: JSON = [
      "id": 1, "title": "t", "state": "open", "author": ["login": "l", "age": 3],
      "tags": ["a", "b"], "map": .null, "__typename": "T",
    ]
    let reduced: JSON = [
      "id": 1, "name": "t", "author": ["login": "l"], "tags": ["a", "b"], "map": .null,
    ]
    #expect(CarrierDocument.project(value, through: selection) == reduced)
    #expect(
      CarrierDocument.project([value, [value], 3, .null], through: selection) == [
        reduced, [reduced], 3, .null,
      ]
    )
    #expect(
      CarrierDocument.project(
        ["title": "t", "author": "text", "map": [["x": 1]]],
        through: selection
      )
        == [
          "id": .null, "name": "t", "author": "text", "tags": .null, "map": [["x": 1]],
        ]
    )
    #expect(CarrierDocument.project(value, through: nil) == value)
    #expect(CarrierDocument.project(value, through: []) == [:])
  }

  @Test func `canonical bytes are those of the meaning`() throws {
    func canonical(_ text: String, _ variables: JSON.Object = [:]) throws -> [UInt8] {
      try CarrierDocument(parsing: text, variables: variables).canonical
    }
    let one = try canonical("query A($n: Int) { b a(x: $n, y: [1.0]) { d e: f } }", ["n": 5])
    for text in [
      "subscription { a(y: [1] x: 5.0) { e: f, d __typename } b }",
      "query { a(x: 5, y: [1]) { d } b # c\n b a(x: 5, y: [1]) { e: f } }",
    ] { #expect(try canonical(text) == one) }
    for text in [
      "query { b a(x: 5, y: [1]) { d f } }", "query { b a(x: 5, y: [1]) { d } }",
      "query { b a(x: 5, y: [1]) { d e: f {g} } }", "query { b a(x: 5, y: [1]) }",
      "query { b a(x: 5, y: [\"1\"]) { d e: f } }", "query { c: b a(x: 5, y: [1]) { d e: f } }",
      "query { a(x: 5, y: [1]) { d e: f } }", "query { b a(x: 5, y: [1], z: null) { d e: f } }",
    ] { #expect(try canonical(text) != one) }
    #expect(try canonical("query { a __typename }") != canonical("subscription { a __typename }"))
    #expect(try canonical("mutation { a b }") != canonical("mutation { b a }"))
    #expect(try canonical("query { a }") == Array(#"[["a","a",{},null]]"#.utf8))
  }

  @Test func `what stock clients send is read`() throws {
    let apollo = """
      subscription Watch($query: String!, $variables: JSON) {
        watch(query: $query, variables: $variables)
      }
      """
    let document = try CarrierDocument(
      parsing: apollo,
      variables: ["query": "values(issues)", "variables": ["a": [1]]]
    )
    #expect(
      document.fields[0].arguments == ["query": "values(issues)", "variables": ["a": [1]]]
    )
    let gql = "mutation ($ops: [Op!]!) {\n  patch(ops: $ops)\n}"
    let ops: JSON = [["op": "remove", "path": "/a"]]
    #expect(
      try CarrierDocument(parsing: gql, variables: ["ops": ops]).fields[0].arguments == ["ops": ops]
    )
  }
}
