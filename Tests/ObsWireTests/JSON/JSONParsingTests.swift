import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONParsingTests {
  @Test func `every kind of value is read`() throws {
    let text = #" {"b":[1,-2.5,true,false,null,"\u00e9\n"],"a":{}} "#
    #expect(try JSON(parsing: text) == ["a": [:], "b": [1, -2.5, true, false, .null, "é\n"]])
    #expect(try JSON(parsing: "7") == 7)
    #expect(try JSON(parsing: #""x""#) == "x")
  }

  @Test(arguments: [
    ("0", JSON.int(0)), ("-0", .int(0)), ("9223372036854775807", .int(.max)),
    ("-9223372036854775808", .int(.min)), ("1e2", .double(100)), ("1.0", .double(1)),
    ("1e-400", .double(0)), ("0.1", .double(0.1)),
    ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
    ("123456789012345678.9", .double(123456789012345680)),
  ])
  func `a number is an exact integer or the nearest double`(text: String, value: JSON) throws {
    let parsed = try JSON(parsing: text)
    #expect(parsed == value)
    switch (parsed, value) {
    case (.int, .int), (.double, .double): break
    default: Issue.record("\(text) is of the wrong kind")
    }
  }

  @Test func `minus zero is the integer 0, minus zero point zero stays`() throws {
    guard case .int(0) = try JSON(parsing: "-0") else {
      Issue.record("-0 is no integer")
      return
    }
    #expect(try JSON(parsing: "-0.0").doubleValue?.sign == .minus)
    #expect(try JSON(parsing: "-0.0").description == "-0.0")
  }

  @Test(arguments: [
    ("[1, 9223372036854775808]", 4), ("-9223372036854775809", 0), (#"{"a":1e400}"#, 5),
    ("[0,\n -1.5E+999]", 5),
  ])
  func `a number out of range is refused with its place`(text: String, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error?.kind == .numberRange)
    #expect(error?.offset == offset)
  }

  @Test func `a place has line and column, the column in code points`() {
    let error = #expect(throws: JSONError.self) {
      try JSON(parsing: "{\"a\": 1,\n \"é😀\": 99999999999999999999}")
    }
    #expect(error?.line == 2)
    #expect(error?.column == 8)
    #expect(error?.description.hasSuffix("(line 2, column 8)") == true)
  }

  @Test func `more bytes than the limit are refused before they are looked at`() {
    let limits = JSONLimits(maximumBytes: 8)
    #expect(throws: Never.self) { try JSON(parsing: "[1,2,34]", limits: limits) }
    let error = #expect(throws: JSONError.self) {
      try JSON(parsing: "not json", limits: .init(maximumBytes: 7))
    }
    #expect(error?.kind == .tooLarge(limit: 7))
  }

  @Test func `nesting is refused above the limit, whatever is in strings`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: #"[{"]":"#, count: depth / 2) + "0"
        + String(repeating: "}]", count: depth / 2)
    }
    #expect(throws: Never.self) { try JSON(parsing: nested(64)) }
    let error = #expect(throws: JSONError.self) { try JSON(parsing: nested(66)) }
    #expect(error?.kind == .tooDeep(limit: 64))
    #expect(try JSON(parsing: #""[[[\"[[[\\""#, limits: .init(maximumDepth: 0)) == #"[[["[[[\"#)
    #expect(throws: Never.self) {
      try JSON(parsing: "[[],[],[[]]]", limits: .init(maximumDepth: 3))
    }
    #expect(throws: JSONError.self) { try JSON(parsing: "[]", limits: .init(maximumDepth: 0)) }
  }

  @Test func `nesting beyond the parser's own bound is an error, not a crash`() {
    for text in [
      String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 50_000),
      String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000),
    ] {
      let error = #expect(throws: JSONError.self) { try JSON(parsing: text, limits: .unlimited) }
      #expect(error?.kind == .tooDeep(limit: 2048))
    }
  }

  @Test func `the deepest text that the parser takes is copied and written`() throws {
    let text = String(repeating: "[", count: 2048) + String(repeating: "]", count: 2048)
    #expect(try JSON(parsing: text, limits: .unlimited).description == text)
  }

  @Test func `NUL is fine in text and refused in a key`() throws {
    #expect(try JSON(parsing: #"["a\u0000b"]"#) == ["a\0b"])
    let error = #expect(throws: JSONError.self) { try JSON(parsing: #"{"a\u0000b":1}"#) }
    #expect(error?.kind == .nulInKey)
  }

  @Test(arguments: ["123\0", "\0", "[1]\0", "\"a\0b\"", "\"\\\0\"", "[\0]"])
  func `a raw NUL byte is never JSON`(text: String) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error?.kind == .syntax)
  }

  @Test func `two members with the same key are refused, two spellings are not the same`() throws {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: #"{"a":1,"\u0061":2}"#) }
    #expect(error?.kind == .duplicateKey)
    #expect(try JSON(parsing: #"{"\u00e9":1,"e\u0301":2}"#).objectValue?.count == 2)
  }

  @Test(arguments: [
    [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
  ])
  func `bytes that are no UTF-8 are refused`(bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: bytes) }
    #expect(error?.kind == .invalidUTF8)
    #expect(error?.offset == 1)
  }

  @Test(arguments: [
    "", " ", "{", "[1,]", "{,}", "nul", "tru", "[1 2]", "{\"a\"}", "01", "+1", "1.", ".5", "'a'",
    "\"\t\"", "\"\\x\"", "\"\\ud800\"", "\u{feff}1", "1 1", "NaN", "Infinity", "]", "}", "\"",
  ])
  func `what is not JSON is refused`(text: String) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error?.message.isEmpty == false)
  }
}
