import ObsModel
import ObsQuery
import ObsWire
import Testing

/// Schemas: how they are made, what is refused, and what `$describe` says of them.
@Suite("Exposure: schemas", .timeLimit(.minutes(5)))
@ObsActor
struct ExposureSchemaTests {
  @Test("The shape names the fields of every type that can be reached, each type once")
  func shape() {
    let expected: JSON = [
      "type": "Tracker",
      "types": [
        "Tracker": [
          "fields": [
            "title": ["type": "string", "text": "What people call it"],
            "items": ["type": "[Item]"],
            "byID": ["type": "{*: Item}"],
            "lead": ["type": "Person?"],
            "rooms": ["type": "{*: integer}"],
            "open": ["type": "integer"],
          ]
        ],
        "Item": [
          "fields": [
            "title": ["type": "string"],
            "state": ["type": "State"],
            "assignee": ["type": "Person?"],
            "labels": ["type": "[string]"],
            "effort": ["type": "Effort"],
            "urgent": ["type": "boolean"],
          ]
        ],
        "State": ["values": ["open", "closed"]],
        "Effort": ["fields": ["hours": ["type": "number"], "notes": ["type": "[string]"]]],
        "Person": [
          "fields": [
            "name": ["type": "string"],
            "homePage": ["type": "string?"],
            "pet": ["type": "Pet?"],
          ]
        ],
        "Pet": ["fields": ["name": ["type": "string"]]],
      ],
    ]
    #expect(Tracker.schema.shape == expected)
  }

  @Test("A type that leads back to itself is named, and two types of one name are told apart")
  func recursiveShape() {
    let expected: JSON = [
      "type": "Node",
      "types": [
        "Node": [
          "fields": [
            "name": ["type": "string"],
            "parent": ["type": "Node?"],
            "children": ["type": "[Node]"],
            "twin": ["type": "Node2"],
          ]
        ],
        "Node2": ["fields": ["name": ["type": "string"]]],
      ],
    ]
    #expect(Node.schema.shape == expected)
  }

  @Test("Fields are in the byte order of their names, whatever the order they are given in")
  func order() throws {
    let schema = Schema<Effort> {
      Field("ö", \.hours)
      Field("due date", \.hours)
      Field("z", \.hours)
      for name in ["b", "a"] { Field(name, \.hours) }
      if Bool(true) { Field("Z", \.notes) }
    }
    #expect(schema.fields.map(\.name) == ["Z", "a", "b", "due date", "z", "ö"])
  }

  @Test("A name that a query remembers is found in each of the types that it meets")
  func rememberedNames() throws {
    let board = Tracker("a")
    board.lead = Person("Ada", "L")
    board.lead?.pet = Pet("Rex")
    let name = MemberName("name")
    let value = Value(exposing: board)
    for _ in 0..<3 {
      #expect(try member(name, of: value["lead"])?.written() == #""Ada L""#)
      #expect(try member(name, of: value["lead"]["pet"])?.written() == #""Rex""#)
      #expect(member(name, of: value["items"][0]) == nil)
    }
  }

  private func member(_ name: MemberName, of value: Value) -> Value? {
    guard case .node(let node, let scope) = value else { return nil }
    return node.member(name, scope)
  }

  @Test("A field without a name traps, and the text names the type")
  func emptyName() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await makeSchema(of: [""])
    }
    let text = try #require(result).standardErrorText
    #expect(text.contains("the schema of Effort has a field without a name"))
  }

  @Test("Two fields of one name trap, and the text names both type and field")
  func duplicateName() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await makeSchema(of: ["b", "a", "b"])
    }
    let text = try #require(result).standardErrorText
    #expect(text.contains("the schema of Effort has two fields `b`"))
  }

  @Test("A schema that is made anew for each reading traps, and the text says what to write")
  func computedSchema() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await makeSchemas(1_000)
    }
    let text = try #require(result).standardErrorText
    #expect(text.contains("declare it as a `static let`"))
  }
}

@ObsActor
private func makeSchema(of names: [String]) {
  _ = Schema<Effort> {
    for name in names { Field(name, \.hours) }
  }
}

@ObsActor
private func makeSchemas(_ count: Int) {
  for _ in 0..<count { makeSchema(of: ["a"]) }
}

final class Node {
  var name = ""
  var parent: Node?
  var children: [Node] = []
}

extension Node: Exposed {
  static let schema = Schema<Node> {
    Field("name", \.name)
    Field("parent", \.parent)
    Field("children", \.children)
    Field("twin") { Other.Node(name: $0.name) }
  }
}

enum Other {
  struct Node {
    var name: String
  }
}

extension Other.Node: Exposed {
  static let schema = Schema<Other.Node> { Field("name", \.name) }
}
