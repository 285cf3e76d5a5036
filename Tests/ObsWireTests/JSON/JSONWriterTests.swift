import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONWriterTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `commas stand between members and elements, however they nest`() {
    let text = text { writer in
      writer.beginObject()
      writer.key("a")
      writer.beginArray()
      writer.write(1)
      writer.beginArray()
      writer.endArray()
      writer.beginObject()
      writer.endObject()
      writer.writeNull()
      writer.endArray()
      writer.member("b", "x")
      writer.member("c", true)
      writer.key("d")
      writer.splice(Array(#"{"e":[]}"#.utf8))
      writer.member("f", false)
      writer.endObject()
    }
    #expect(text == #"{"a":[1,[],{},null],"b":"x","c":true,"d":{"e":[]},"f":false}"#)
  }

  @Test func `values at the top level are separated by commas`() {
    #expect(
      text {
        $0.write(1); $0.write("a"); $0.splice([0x5b, 0x5d])
      } == #"1,"a",[]"#
    )
  }

  @Test func `a writer appends behind what is there`() {
    var writer = JSONWriter(appendingTo: Array("head:".utf8))
    writer.write(["k": 1] as JSON)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"head:{"k":1}"#)
  }

  @Test(arguments: [
    (0.1, "0.1"), (1, "1.0"), (-1, "-1.0"), (-0.0, "-0.0"), (0, "0.0"), (100, "100.0"),
    (1e22, "1e+22"), (1e15, "1000000000000000.0"), (9_007_199_254_740_991, "9007199254740991.0"),
    (9_007_199_254_740_992, "9007199254740992.0"), (1e-7, "1e-07"),
    (.leastNonzeroMagnitude, "5e-324"),
    (123_456.789, "123456.789"), (1.7976931348623157e308, "1.7976931348623157e+308"),
  ])
  func `a double has the shortest form that reads back`(value: Double, expected: String) throws {
    #expect(text { $0.write(value) } == expected)
    #expect(try JSON(parsing: expected).doubleValue?.bitPattern == value.bitPattern)
  }

  @Test func `any double reads back bit by bit, as a double`() throws {
    try withSeed { generator in
      for _ in 0..<20_000 {
        let value = JSON.randomDouble(using: &generator)
        let text = text { $0.write(value) }
        #expect(text == value.description)
        guard case .double(let back) = try JSON(parsing: text) else {
          Issue.record("\(text) reads back as an integer")
          continue
        }
        #expect(back.bitPattern == value.bitPattern)
      }
    }
  }

  @Test(arguments: [0, 9, 10, -1, -10, 12345, Int64.max, .min])
  func `an integer is its digits`(value: Int64) {
    #expect(text { $0.write(value) } == value.description)
  }

  @Test func `what has no form is null and remembered`() {
    var writer = JSONWriter()
    #expect(!writer.containsNonFinite)
    writer.write([1, .nan, -.infinity] as [Double])
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "[1.0,null,null]")
    #expect(writer.containsNonFinite)
  }

  @Test func `only quote, backslash and control characters are escaped`() {
    let control = String(String.UnicodeScalarView((0..<0x20).map { Unicode.Scalar(UInt8($0)) }))
    #expect(
      text { $0.write(control) }
        == #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\t\n\u000b\u000c\r\u000e\u000f"#
        + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
    )
    #expect(
      text { $0.write(#"a"b\c/d"# + "\u{7f}é\u{2028}😀") } == #""a\"b\\c/d"# + "\u{7f}é\u{2028}😀\""
    )
    #expect(text { $0.key("a\"\n") } == #""a\"\n":"#)
  }

  @Test(arguments: [0, 1, 7, 15, 16, 63, 64, 65, 127, 1000])
  func `an escape is found at every place of a text of any length`(length: Int) throws {
    let plain = String(repeating: "x", count: length)
    #expect(text { $0.write(plain) } == "\"\(plain)\"")
    for place in Set([0, length / 2, length]) {
      var marked = plain
      marked.insert("\"", at: marked.index(marked.startIndex, offsetBy: place))
      #expect(try JSON(parsing: text { $0.write(marked) }).stringValue == marked)
      #expect(text { $0.write(marked) }.utf8.count == length + 4)
    }
  }

  @Test func `common types write themselves`() {
    #expect(text { $0.write([1, nil, 3] as [Int?]) } == "[1,null,3]")
    #expect(
      text { $0.write(["b": [1.5], "a": []] as [String: [Double]]) } == #"{"a":[],"b":[1.5]}"#
    )
    #expect(text { $0.write(Int32(-5)) } == "-5")
    #expect(text { $0.write(UInt32.max) } == "4294967295")
    #expect(text { $0.write(JSON.Object()) } == "{}")
    #expect(text { $0.write(String?.none) } == "null")
    #expect(text { $0.write([[true], []]) } == "[[true],[]]")
  }
}
