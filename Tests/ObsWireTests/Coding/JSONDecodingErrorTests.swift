import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONDecodingErrorTests {
  struct Filter: Decodable {
    var states: [State]
    var near: Point?
    var counts: [String: Int8]?
    var byState: [State: Int]?
  }

  struct Arguments: Decodable {
    var limit: Int
    var filter: Filter?
  }

  /// What is wrong, where, and in which words.
  @Test(
    arguments: [
      ([:], "limit", "argument `limit` is missing"),
      (["limit": "10"], "limit", "argument `limit` must be an integer, but is a string"),
      (["limit": .null], "limit", "argument `limit` must be an integer, but is null"),
      (["limit": true], "limit", "argument `limit` must be an integer, but is a boolean"),
      (["limit": 2.5], "limit", "argument `limit` must be an integer, but is 2.5"),
      (
        ["limit": 1e30], "limit",
        "argument `limit` must be an integer from -9223372036854775808 to 9223372036854775807, but is 1e+30"
      ),
      ([], "", "argument must be an object, but is an array"),
      (
        ["limit": 1, "filter": 5], "filter",
        "argument `filter` must be an object, but is an integer"
      ),
      (["limit": 1, "filter": [:]], "filter.states", "argument `filter.states` is missing"),
      (
        ["limit": 1, "filter": ["states": "open"]], "filter.states",
        "argument `filter.states` must be an array, but is a string"
      ),
      (
        ["limit": 1, "filter": ["states": ["open", "closed", 7]]], "filter.states[2]",
        "argument `filter.states[2]` must be a string, but is an integer"
      ),
      (
        ["limit": 1, "filter": ["states": ["opne"]]], "filter.states[0]",
        "argument `filter.states[0]` must be one of `open`, `closed`, but is `opne`"
      ),
      (
        ["limit": 1, "filter": ["states": [], "near": ["x": 1]]], "filter.near.y",
        "argument `filter.near.y` is missing"
      ),
      (
        ["limit": 1, "filter": ["states": [], "counts": ["a": 128]]], "filter.counts.a",
        "argument `filter.counts.a` must be an integer from -128 to 127, but is 128"
      ),
      (
        ["limit": 1, "filter": ["states": [], "byState": ["shut": 1]]], "filter.byState.shut",
        "argument `filter.byState.shut` must be one of `open`, `closed`, but is `shut`"
      ),
    ] as [(JSON, String, String)]
  )
  func `the error names the argument and what is wrong`(json: JSON, path: String, message: String) {
    let error = #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode(Arguments.self, from: json)
    }
    #expect(error?.path == path)
    #expect(error?.message == message)
  }

  @Test func `root and noun stand in front`() {
    let error = #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode([Point].self, from: [["x": "1"]], root: "data", noun: "value")
    }
    #expect(error?.path == "data[0].x")
    #expect(error?.message == "value `data[0].x` must be an integer, but is a string")
  }

  @Test func `an integral key is no index`() {
    let error = #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode([String: [Int: Bool]].self, from: ["7": ["1": 2]])
    }
    #expect(error?.path == "7.1")
    let key = #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode([Int: Bool].self, from: ["x": true])
    }
    #expect(key?.message == "argument must not have the key `x`")
  }

  @Test func `errors of a type's own decoding have its place`() {
    struct Refusal: Error, CustomStringConvertible { let description = "must be even" }
    struct Even: Decodable {
      init(from decoder: any Decoder) throws {
        guard try Int(from: decoder).isMultiple(of: 2) else { throw Refusal() }
      }
    }
    let error = #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode([String: [Even]].self, from: ["a": [2, 3]])
    }
    #expect(error?.path == "a[1]")
    #expect(error?.message == "argument `a[1]` is not valid: must be even")
  }

  @Test func `an unknown case of an enum with values is named by its place`() {
    let error = #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode([Shape].self, from: [["square": [:]]])
    }
    #expect(error?.path == "[0]")
    #expect(error?.message.hasPrefix("argument `[0]` is not valid: ") == true)
  }

  @Test func `a list that is too short says which element is missing`() {
    struct Pair: Decodable {
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        _ = try container.decode(Int.self)
        _ = try container.decode(Int.self)
      }
    }
    let error = #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode([String: Pair].self, from: ["p": [1]])
    }
    #expect(error?.message == "argument `p[1]` is missing")
  }
}
