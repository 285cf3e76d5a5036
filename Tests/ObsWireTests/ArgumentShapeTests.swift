import FoundationEssentials
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ArgumentShapeTests {
  enum State: String, Codable, CaseIterable { case open, closed }
  enum Priority: String, Codable { case low, high }
  enum Level: Int, Codable { case first = 1, second }
  enum Change: Codable { case renamed(to: String), removed }

  struct Arguments: Decodable {
    let limit: Int
    let states: [State]
    let title: String?
    let after: Date
    let ratio: Double
    let exact: Bool
    let rest: JSON
  }

  struct Filter: Decodable {
    let state: State
    let level: Level
  }

  struct Nested: Decodable {
    let filter: Filter?
    let tags: Set<String>
    let counts: [String: UInt8]
    let sorts: [[Filter]]
    let range: Range<Int>
    let ids: [UUID]?
  }

  @Test func `members have their names and JSON types`() {
    #expect(
      ArgumentShape.describe(Arguments.self) == [
        "limit": "integer", "states": ["string"], "title": "string?", "after": "string",
        "ratio": "number", "exact": "boolean", "rest": "any",
      ]
    )
  }

  @Test func `nested types are described, optional ones with a mark at the name`() {
    let filter: JSON = ["state": "string", "level": "integer"]
    #expect(
      ArgumentShape.describe(Nested.self) == [
        "filter?": filter, "tags": ["string"], "counts": ["*": "integer"], "sorts": [[filter]],
        "range": ["integer", "integer"], "ids?": ["string"],
      ]
    )
  }

  @Test func `single values are described as themselves`() {
    #expect(ArgumentShape.describe(Int.self) == "integer")
    #expect(ArgumentShape.describe(String?.self) == "string?")
    #expect(ArgumentShape.describe([Double].self) == ["number"])
    #expect(ArgumentShape.describe(State.self) == "string")
    #expect(ArgumentShape.describe(Priority.self) == "string")
    #expect(ArgumentShape.describe(Change.self) == "object")
    #expect(ArgumentShape.describe(JSON.Object.self) == "object")
    #expect(ArgumentShape.describe(Never.self) == nil)
  }

  @Test func `a type that reads nothing has no shape`() {
    struct Nothing: Decodable {}
    #expect(ArgumentShape.describe(Nothing.self) == nil)
  }

  @Test
  func `an enum that refuses every sample stops the reading of its type, not of what is around`() {
    struct Entry: Decodable {
      let name: String
      let priority: Priority
      let unseen: Int
    }
    struct List: Decodable {
      let entries: [Entry]
      let last: Entry?
      let priority: Priority?
      let total: Int
    }
    let entry: JSON = ["name": "string", "priority": "string"]
    #expect(
      ArgumentShape.describe(List.self) == [
        "entries": [entry], "last?": entry, "priority": "string?", "total": "integer",
      ]
    )
  }

  @Test func `a type that refuses the first sample is tried with others`() {
    struct Identifier: Decodable {
      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard !text.isEmpty else {
          throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "empty"))
        }
      }
    }
    struct Page: Decodable {
      let id: Identifier
      let size: Size
      let zone: TimeZoneName
      let unsigned: UInt8
    }
    struct Size: Decodable {
      let rows: UInt8
      enum Keys: String, CodingKey { case rows, columns }
      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        rows = try members.decode(UInt8.self, forKey: .rows)
        guard rows > 0 else {
          throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "none"))
        }
        if members.contains(.columns) { _ = try members.decode(Int.self, forKey: .columns) }
      }
    }
    struct TimeZoneName: RawRepresentable, Decodable {
      let rawValue: String
      init?(rawValue: String) {
        guard rawValue == "UTC" else { return nil }
        self.rawValue = rawValue
      }
    }
    #expect(
      ArgumentShape.describe(Page.self) == [
        "id": "string", "size": ["rows": "integer", "columns": "integer?"], "zone": "string",
        "unsigned": "integer",
      ]
    )
  }

  final class Node: Decodable, Hashable {
    let name: String
    let parent: Node?
    let children: [Node]
    let others: Set<Node>
    let byName: [String: Node]
    let size: Int

    static func == (left: Node, right: Node) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  struct Growing<T>: Decodable {
    enum Keys: CodingKey { case value }
    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Keys.self)
      _ = try members.decode(Growing<[T]>.self, forKey: .value)
    }
  }

  struct Selfish: Decodable {
    let value: Int128
    let after: Int
  }

  @Test func `recursive types end`() {
    #expect(
      ArgumentShape.describe(Node.self) == [
        "name": "string", "parent": "object?", "children": ["object"], "others": ["object"],
        "byName": ["*": "object"], "size": "integer",
      ]
    )
    #expect(ArgumentShape.describe(Growing<Int>.self) != nil)
    #expect(ArgumentShape.describe(Selfish.self) != nil)
  }

  @Test func `subclasses, nested containers and loops of hand-written types are followed`() {
    class Base: Decodable { let id: Int }
    final class Derived: Base {
      let names: [String]
      enum Keys: String, CodingKey { case names, place, x }
      required init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        var list = try members.nestedUnkeyedContainer(forKey: .names)
        var names: [String] = []
        while !list.isAtEnd {
          if let name = try? list.decode(String.self) { names.append(name) }
        }
        self.names = names
        let place = try members.nestedContainer(keyedBy: Keys.self, forKey: .place)
        _ = try place.decode(Double.self, forKey: .x)
        try super.init(from: members.superDecoder())
      }
    }
    #expect(
      ArgumentShape.describe(Derived.self) == [
        "names": ["string"], "place": ["x": "number"], "super": ["id": "integer"],
      ]
    )
  }
}
