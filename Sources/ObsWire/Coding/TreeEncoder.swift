/// Builds a ``JSON`` from anything `Encodable`.
struct TreeEncoder: Encoder {
  let node: EncodingNode
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The JSON form of a value: the one we choose, or else the one that its `encode(to:)` builds.
  static func json<T: Encodable>(
    of value: T,
    at path: @autoclosure () -> CodingPath
  ) throws -> JSON {
    if let direct = value as? any DirectlyEncodable { return try direct.json(at: path) }
    let node = EncodingNode()
    try value.encode(to: TreeEncoder(node: node, path: path()))
    return node.resolved
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(KeyedTreeContainer<Key>(node: node, path: path))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return UnkeyedTreeContainer(node: node, path: path)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueTreeContainer(node: node, path: path)
  }
}

/// One value while it is being built; containers of the same encoder share it.
final class EncodingNode {
  enum Child {
    case value(JSON)
    case node(EncodingNode)

    var resolved: JSON {
      switch self {
      case .value(let json): json
      case .node(let node): node.resolved
      }
    }
  }

  private enum Content {
    case empty
    case value(JSON)
    case object([(key: String, child: Child)])
    case array([Child])
  }

  private var content = Content.empty

  /// What was built; a type that has encoded nothing is an empty object.
  var resolved: JSON {
    switch content {
    case .empty: .object([:])
    case .value(let json): json
    case .object(let members):
      .object(JSON.Object(unsorted: members.map { (key: $0.key, value: $0.child.resolved) }))
    case .array(let children): .array(children.map(\.resolved))
    }
  }

  var count: Int {
    guard case .array(let children) = content else { return 0 }
    return children.count
  }

  func becomeObject() {
    switch content {
    case .empty: content = .object([])
    case .value(.object(let object)): content = .object(object.map { ($0.key, .value($0.value)) })
    case .object: break
    case .array, .value:
      preconditionFailure("a type encodes itself as an object and as another kind")
    }
  }

  func becomeArray() {
    switch content {
    case .empty: content = .array([])
    case .value(.array(let elements)): content = .array(elements.map { .value($0) })
    case .array: break
    case .object, .value: preconditionFailure("a type encodes itself as a list and as another kind")
    }
  }

  func set(_ json: JSON) { content = .value(json) }

  func set(_ child: Child, forKey key: String) {
    guard case .object(var members) = content else { return }
    content = .empty  // Gives up the second reference, so that appending does not copy.
    members.append((key, child))
    content = .object(members)
  }

  func append(_ child: Child) {
    guard case .array(var children) = content else { return }
    content = .empty  // Gives up the second reference, so that appending does not copy.
    children.append(child)
    content = .array(children)
  }

  /// The node of a nested container; asking twice for one key gives the same.
  func nested(forKey key: String) -> EncodingNode {
    if case .object(let members) = content {
      for case (let name, .node(let node)) in members where UTF8Order.equal(name, key) {
        return node
      }
    }
    let node = EncodingNode()
    set(.node(node), forKey: key)
    return node
  }

  func nestedElement() -> EncodingNode {
    let node = EncodingNode()
    append(.node(node))
    return node
  }
}
