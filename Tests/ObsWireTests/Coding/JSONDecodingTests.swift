import Foundation
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONDecodingTests {
  private func roundTrip<T: Codable & Equatable>(_ value: T) throws {
    let back = try JSONCoding.decode(T.self, from: JSON(parsing: JSONCoding.encode(value)))
    #expect(back == value)
  }

  @Test func `what was encoded is decoded again`() throws {
    try roundTrip(
      Ticket(
        id: 7,
        title: "t",
        state: .closed,
        shape: .rectangle(1, 2),
        points: [Point(x: 1, y: 2)],
        counts: [.open: 1],
        tags: ["x", "y"],
        extra: ["a": [1, 2.5, .null]]
      )
    )
    try roundTrip([Shape.circle(radius: 0.5), .nothing])
    try roundTrip(Nested(a: 1, list: ["x"], inner: [[], [true]]))
    try roundTrip(Tree(value: 1, children: [Tree(value: 2, children: [])]))
    try roundTrip([State.open: Point(x: 1, y: 1), .closed: Point(x: 2, y: 2)])
    try roundTrip([Priority.low: 1, .high: 2])
    try roundTrip([UserID("kim"): ["a"]])
    try roundTrip([Field.title: 1])
    try roundTrip([3: "three", -1: "minus"])
    try roundTrip([Point(x: 1, y: 2): Point(x: 3, y: 4)])
    try roundTrip(["a": nil, "b": 1] as [String: Int?])
    try roundTrip([1, nil] as [Int?])
    try roundTrip(Int?.none)
    try roundTrip([Int8.min, .max])
    try roundTrip(UInt64(Int64.max))
    try roundTrip("\0\u{1f}é😀")
  }

  @Test func `a class is decoded through super`() throws {
    let dog = try JSONCoding.decode(Dog.self, from: ["super": ["name": "Rex"], "tricks": 3])
    #expect(dog.name == "Rex")
    #expect(dog.tricks == 3)
  }

  @Test func `integral numbers are integers, integers are numbers`() throws {
    #expect(try JSONCoding.decode(Int.self, from: 3.0) == 3)
    #expect(try JSONCoding.decode(Double.self, from: 3) == 3)
    #expect(try JSONCoding.decode(UInt64.self, from: 1e19) == 10_000_000_000_000_000_000)
    #expect(try JSONCoding.decode(Float.self, from: 0.1) == 0.1)
  }

  @Test func `an optional member may be missing or null, unknown members are ignored`() throws {
    struct Arguments: Decodable {
      var limit: Int?
      var state: State?
    }
    for json in [[:], ["limit": .null, "state": .null], ["other": 1]] as [JSON] {
      let arguments = try JSONCoding.decode(Arguments.self, from: json)
      #expect(arguments.limit == nil && arguments.state == nil)
    }
  }

  @Test func `an enum-keyed dictionary is also read from a list of pairs`() throws {
    let value = try JSONCoding.decode([State: Int].self, from: ["open", 1, "closed", 2])
    #expect(value == [.open: 1, .closed: 2])
  }

  @Test func `JSON itself is decoded as it is, also by other decoders`() throws {
    let value: JSON = ["a": [1, 2.5, "x", .null, true, ["b": [:]]]]
    #expect(try JSONCoding.decode(JSON.self, from: value) == value)
    #expect(try JSONCoding.decode([String: JSON].self, from: value)["a"]?[0] == 1)
    #expect(try JSONCoding.decode(JSON.Object.self, from: value) == value.objectValue)
    #expect(try JSONDecoder().decode(JSON.self, from: Data(value.encoded)) == value)
    #expect(try JSON(parsing: [UInt8](JSONEncoder().encode(value))) == value)
  }

  @Test func `a hand-written type may try one form after another`() throws {
    enum Limit: Decodable, Equatable {
      case number(Int)
      case name(String)
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
          self = .number(try container.decode(Int.self))
        } catch DecodingError.typeMismatch {
          self = .name(try container.decode(String.self))
        }
      }
    }
    #expect(try JSONCoding.decode([Limit].self, from: [1, "all"]) == [.number(1), .name("all")])
  }

  @Test func `two spellings of one key do not trap`() throws {
    let json: JSON = ["\u{e9}": 1, "e\u{301}": 2]
    #expect(try JSONCoding.decode([String: Int].self, from: json).count == 1)
  }
}
