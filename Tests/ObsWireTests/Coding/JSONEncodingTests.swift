import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONEncodingTests {
  private func text<T: Encodable>(_ value: T) throws -> String {
    String(decoding: try JSONCoding.encode(value), as: UTF8.self)
  }

  @Test func `a struct is an object with its keys in byte order, without what is nil`() throws {
    let ticket = Ticket(
      id: 7,
      title: nil,
      state: .open,
      shape: .circle(radius: 1),
      points: [Point(x: 1, y: -2)],
      counts: [.open: 2, .closed: 0],
      tags: ["b", "a", "c"],
      extra: ["z": 1, "a": .null]
    )
    #expect(
      try text(ticket)
        == #"{"counts":{"closed":0,"open":2},"extra":{"a":null,"z":1},"id":7,"points":[{"x":1,"y":-2}],"#
        + #""shape":{"circle":{"radius":1.0}},"state":"open","tags":["a","b","c"]}"#
    )
  }

  @Test func `enums are their raw value or an object named after the case`() throws {
    #expect(try text(State.closed) == #""closed""#)
    #expect(try text([Priority.high, .low]) == "[2,1]")
    #expect(try text(Shape.rectangle(2, 3)) == #"{"rectangle":{"_0":2,"_1":3}}"#)
    #expect(try text(Shape.nothing) == #"{"nothing":{}}"#)
  }

  @Test func `dictionaries with keys that are text or integers are objects`() throws {
    #expect(
      try text(["b": Point(x: 1, y: 2), "a": Point(x: 3, y: 4)])
        == #"{"a":{"x":3,"y":4},"b":{"x":1,"y":2}}"#
    )
    #expect(try text([State.open: [1], .closed: []]) == #"{"closed":[],"open":[1]}"#)
    #expect(try text([UserID("b"): 1, UserID("a"): 2]) == #"{"a":2,"b":1}"#)
    #expect(try text([10: true, 9: false]) == #"{"10":true,"9":false}"#)
    #expect(try text([Priority.low: 1]) == #"{"1":1}"#)
    #expect(try text([Field.title: 1, .state: 2]) == #"{"state":2,"title":1}"#)
  }

  @Test func `dictionaries with other keys are lists of pairs, sorted by key`() throws {
    let value = [Point(x: 2, y: 0): "b", Point(x: 1, y: 5): "a"]
    #expect(try text(value) == #"[{"x":1,"y":5},"a",{"x":2,"y":0},"b"]"#)
  }

  @Test func `sets are sorted lists`() throws {
    #expect(try text(Set([10, 9, -1])) == "[-1,9,10]")
    #expect(try text(Set([0.5, -0.5, 100])) == "[-0.5,0.5,100.0]")
    #expect(try text(Set([State.open, .closed])) == #"["closed","open"]"#)
  }

  @Test func `equal values give equal bytes, however they came to be`() throws {
    var first: [State: Set<Int>] = [:]
    var second: [State: Set<Int>] = [:]
    for number in 0..<200 { first[number % 2 == 0 ? .open : .closed, default: []].insert(number) }
    for number in (0..<200).reversed() {
      second[number % 2 == 0 ? .open : .closed, default: []].insert(number)
    }
    #expect(try JSONCoding.encode(first) == JSONCoding.encode(second))
  }

  @Test func `nil is null where it must stand`() throws {
    #expect(try text(Int?.none) == "null")
    #expect(try text(Point?.none) == "null")
    #expect(try text(Point?.some(Point(x: 1, y: 2))) == #"{"x":1,"y":2}"#)
    #expect(try text([Point?.none]) == "[null]")
    #expect(try text(["a": Point?.none]) == #"{"a":null}"#)
    #expect(try text(Int??.some(nil)) == "null")
    #expect(try text([State.open: Int?.none]) == #"{"open":null}"#)
  }

  @Test func `containers nest, also by hand and through super`() throws {
    let nested = Nested(a: 1, list: ["x", "y"], inner: [[true], [], [false, true]])
    #expect(
      try text(nested) == #"{"inner":[[true],[],[false,true]],"list":["x","y"],"outer":{"a":1}}"#
    )
    #expect(try text(Dog(name: "Rex", tricks: 3)) == #"{"super":{"name":"Rex"},"tricks":3}"#)
  }

  @Test func `integers of every width are exact`() throws {
    #expect(try text([UInt8.max]) == "[255]")
    #expect(try text(Int16.min) == "-32768")
    #expect(try text(UInt64(Int64.max)) == "9223372036854775807")
    let error = #expect(throws: JSONEncodingError.self) {
      try JSONCoding.encode(["a": [UInt64.max]])
    }
    #expect(error?.path == "a[0]")
  }

  @Test func `a Float has the shortest form that reads back`() throws {
    #expect(try text([Float(0.1), 3, -2.5]) == "[0.1,3.0,-2.5]")
    try withSeed { generator in
      for _ in 0..<5000 {
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
        guard value.isFinite else { continue }
        let back = try JSONCoding.decode(Float.self, from: JSON(parsing: JSONCoding.encode(value)))
        #expect(back.bitPattern == value.bitPattern)
      }
    }
  }

  @Test func `NaN and infinity are refused with their place`() throws {
    let error = #expect(throws: JSONEncodingError.self) {
      try JSONCoding.encode(["rows": [Shape.circle(radius: 1), .circle(radius: .nan)]])
    }
    #expect(error?.path == "rows[1].circle.radius")
    #expect(error?.message == "value `rows[1].circle.radius` must be finite, but is nan")
    #expect(throws: JSONEncodingError.self) { try JSONCoding.encode(Double.infinity) }
    let fast = #expect(throws: JSONEncodingError.self) {
      try JSONCoding.encode(["a": [1, -Double.infinity]])
    }
    #expect(fast?.path == "a[1]")
    #expect(throws: JSONEncodingError.self) { try JSONCoding.encode(JSON.double(.nan)) }
    #expect(throws: JSONEncodingError.self) { try JSONCoding.encode(Float.nan) }
  }

  @Test func `what encodes nothing is an empty object`() throws {
    struct Empty: Encodable {}
    struct Silent: Encodable { func encode(to encoder: any Encoder) {} }
    #expect(try text(Empty()) == "{}")
    #expect(try text([Silent()]) == "[{}]")
  }

  @Test func `a type that writes itself is asked to`() throws {
    struct Row: Encodable, JSONWritable {
      func write(to writer: inout JSONWriter) { writer.write("written") }
      func encode(to encoder: any Encoder) throws { try "encoded".encode(to: encoder) }
    }
    #expect(try text(Row()) == #""written""#)
    #expect(try text([Row()]) == #"["written"]"#)
    #expect(try JSONCoding.json(Row()) == "encoded")
  }

  @Test func `the fast path and the encoder agree`() throws {
    struct Wrapped<T: Encodable>: Encodable { let value: T }
    func check<T: Encodable>(_ value: T) throws {
      #expect(try text(Wrapped(value: value)) == #"{"value":"# + text(value) + "}")
    }
    try check(1)
    try check(Int32(-1))
    try check(0.1)
    try check("text\n")
    try check(true)
    try check([[1], []])
    try check(["b": 1, "a": 2])
    try check(["b": [nil, 1.0]] as [String: [Double?]])
    try check(["x": [1, .null]] as JSON)
    try check(["x": 1] as JSON.Object)
  }

  @Test func `errors of a type's own encoding pass through`() {
    struct Refusal: Error {}
    struct Refusing: Encodable { func encode(to encoder: any Encoder) throws { throw Refusal() } }
    #expect(throws: Refusal.self) { try JSONCoding.encode([Refusing()]) }
  }
}
