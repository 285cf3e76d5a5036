import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONTests {
  @Test func `numbers are compared exactly, across integer and double`() {
    #expect(JSON.int(3) == .double(3.0))
    #expect(JSON.int(0) == .double(-0.0))
    #expect(JSON.int(9_007_199_254_740_993) != .double(9_007_199_254_740_992.0))
    #expect(JSON.int(9_007_199_254_740_992) == .double(9_007_199_254_740_992.0))
    #expect(JSON.int(.max) != .double(9_223_372_036_854_775_808.0))
    #expect(JSON.double(1e300) != .int(.max))
    #expect(JSON.double(0.5) != .int(0))
  }

  @Test func `equal values have equal hashes`() {
    let numbers: Set<JSON> = [3, 3.0, .double(-0.0), 0, .int(.min), .double(Double(Int64.min))]
    #expect(numbers.count == 3)
    #expect([["a": 1.0, "b": [2]]] as Set<JSON> == [["b": [2.0], "a": 1]])
  }

  @Test func `text is compared by bytes, not by canonical equivalence`() {
    let composed: JSON = "\u{e9}"
    let decomposed: JSON = "e\u{301}"
    #expect(composed != decomposed)
    #expect(composed == "\u{e9}")
    #expect(([composed, decomposed] as Set).count == 2)
  }

  @Test func `kinds are never equal to each other`() {
    let values: [JSON] = [.null, false, 0, "", [], [:]]
    for (left, first) in values.enumerated() {
      for (right, second) in values.enumerated() { #expect((first == second) == (left == right)) }
    }
  }

  @Test func `accessors give a value of their kind or nil`() {
    let value: JSON = [
      "array": [1, "two"], "bool": true, "double": 2.5, "int": 7, "integral": 3.0, "null": .null,
      "string": "text",
    ]
    #expect(value["array"]?[1]?.stringValue == "two")
    #expect(value["array"]?[2] == nil)
    #expect(value["array"]?[-1] == nil)
    #expect(value["array"]?["x"] == nil)
    #expect(value["bool"]?.boolValue == true)
    #expect(value["double"]?.doubleValue == 2.5)
    #expect(value["double"]?.intValue == nil)
    #expect(value["int"]?.intValue == 7)
    #expect(value["int"]?.doubleValue == 7)
    #expect(value["int"]?.stringValue == nil)
    #expect(value["integral"]?.intValue == 3)
    #expect(value["null"]?.isNull == true)
    #expect(value["missing"] == nil)
    #expect(value.objectValue?.count == 7)
    #expect(value.arrayValue == nil)
    #expect(JSON.null["x"] == nil)
  }

  @Test func `an object keeps its members in the order of their bytes`() {
    let object: JSON.Object = ["b": 1, "\u{e9}": 2, "a": 3, "e\u{301}": 4, "": 5, "B": 6]
    #expect(object.keys == ["", "B", "a", "b", "e\u{301}", "\u{e9}"])
    #expect(object["\u{e9}"] == 2)
    #expect(object["e\u{301}"] == 4)
    #expect(object["c"] == nil)
    #expect(object.description == #"{"":5,"B":6,"a":3,"b":1,"é":4,"é":2}"#)
  }

  @Test func `setting a member inserts, replaces and removes`() {
    var object = JSON.Object()
    #expect(object.isEmpty)
    object["m"] = 1
    object["a"] = 2
    object["z"] = 3
    object["m"] = 4
    object["none"] = nil
    #expect(object == ["a": 2, "m": 4, "z": 3])
    object["a"] = nil
    #expect(object.map(\.key) == ["m", "z"])
    #expect(object.values == [4, 3])
  }

  @Test func `of members with the same key the last one counts`() {
    let pairs: [JSON.Object.Member] = [("a", 1), ("b", 2), ("a", 3), ("a", 4)]
    #expect(JSON.Object(pairs) == ["a": 4, "b": 2])
    #expect((["k": 1, "k": 2] as JSON) == ["k": 2])
  }

  @Test func `an object behaves like a dictionary whatever is done to it`() throws {
    try withSeed { generator in
      var object = JSON.Object()
      var model: [String: JSON] = [:]
      for _ in 0..<2000 {
        let key = String(Int.random(in: 0..<60, using: &generator))
        let value =
          Bool.random(using: &generator) ? JSON.int(.random(in: 0...9, using: &generator)) : nil
        object[key] = value
        model[key] = value
        #expect(object.count == model.count)
      }
      #expect(object.allSatisfy { model[$0.key] == $0.value })
      #expect(object.keys == model.keys.sorted())
    }
  }
}
