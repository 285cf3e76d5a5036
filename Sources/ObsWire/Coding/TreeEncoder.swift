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
    // The usual types first: comparing two metatypes is much cheaper than looking for a conformance.
    if T.self == String.self, let text = value as? String { return .string(text) }
    if T.self == Int.self, let integer = value as? Int { return .int(Int64(integer)) }
    if T.self == Bool.self, let flag = value as? Bool { return .bool(flag) }
    if T.self == Double.self, let number = value as? Double, number.isFinite {
      return .double(number)
    }
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
