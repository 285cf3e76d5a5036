// Each generic `encode` is also the witness of the protocol's many overloads for Int, Bool, String and so on.

struct KeyedTreeContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodingNode
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }

  mutating func encodeNil(forKey key: Key) throws {
    node.set(.null, forKey: key.stringValue)
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let name = key.stringValue
    node.set(try TreeEncoder.json(of: value, at: .key(path, name)), forKey: name)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nestedEncoder(key.stringValue).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nestedEncoder(key.stringValue).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { nestedEncoder("super") }

  mutating func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key.stringValue) }

  private func nestedEncoder(_ name: String) -> TreeEncoder {
    TreeEncoder(node: node.nestedNode(forKey: name), path: .key(path, name))
  }
}

struct UnkeyedTreeContainer: UnkeyedEncodingContainer {
  let node: EncodingNode
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }
  var count: Int { node.count }

  mutating func encodeNil() throws { node.append(.null) }

  mutating func encode<T: Encodable>(_ value: T) throws {
    node.append(try TreeEncoder.json(of: value, at: .index(path, node.count)))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    nestedEncoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nestedEncoder().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { nestedEncoder() }

  private func nestedEncoder() -> TreeEncoder {
    let path = CodingPath.index(path, node.count)
    return TreeEncoder(node: node.nestedElement(), path: path)
  }
}

struct SingleValueTreeContainer: SingleValueEncodingContainer {
  let node: EncodingNode
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }

  mutating func encodeNil() throws { node.set(.null) }

  mutating func encode<T: Encodable>(_ value: T) throws {
    node.set(try TreeEncoder.json(of: value, at: path))
  }
}
