import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONErrorPointerTests {
  @Test(arguments: [
    ("1e400", ""), ("[1,2,99999999999999999999]", "/2"),
    (#"{"a":[{"x":1},{"y, ]}":[0,1e999]}]}"#, "/a/1/y, ]}/1"),
    (#"{"a\"/~":{"b":-1e999}}"#, "/a\"~1~0/b"),
    (#"{"":{"\u00e9":[[],[{}, 1e400]]}}"#, "//é/1/1"),
    (#"[{"op":"add","path":"/x","value":{"price":123456789012345678901}}]"#, "/0/value/price"),
  ])
  func `A number out of range is named by its pointer`(text: String, pointer: String) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error?.kind == .numberRange)
    #expect(error?.pointer(in: Array(text.utf8)) == pointer)
  }

  @Test func `Any place of any text has a pointer`() throws {
    try withSeed { generator in
      for _ in 0..<200 {
        let bytes = JSON.random(using: &generator).encoded.damaged(using: &generator)
        var error = try #require(throws: JSONError.self) { try JSON(parsing: "") }
        for offset in 0...bytes.count {
          error.offset = offset
          _ = error.pointer(in: bytes)
        }
      }
    }
  }
}
