// Each generic `decode` is also the witness of the protocol's many overloads for Int, Bool, String and so on.

struct KeyedTreeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: JSON.Object
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }
  var allKeys: [Key] { object.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try TreeDecoder.value(type, from: member(key), at: .key(path, key.stringValue))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try nestedDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nestedDecoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    TreeDecoder(json: object["super"] ?? .null, path: .key(path, "super"))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    TreeDecoder(json: object[key.stringValue] ?? .null, path: .key(path, key.stringValue))
  }

  private func nestedDecoder(_ key: Key) throws -> TreeDecoder {
    TreeDecoder(json: try member(key), path: .key(path, key.stringValue))
  }

  private func member(_ key: Key) throws -> JSON {
    guard let value = object[key.stringValue] else { throw .missing(key, at: path) }
    return value
  }
}

struct UnkeyedTreeReader: UnkeyedDecodingContainer {
  let elements: [JSON]
  let path: CodingPath
  private(set) var currentIndex = 0

  init(elements: [JSON], path: CodingPath) {
    self.elements = elements
    self.path = path
  }

  var codingPath: [any CodingKey] { path.keys }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try next().isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try TreeDecoder.value(type, from: next(), at: .index(path, currentIndex))
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try nestedDecoder().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nestedDecoder().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try nestedDecoder()
    currentIndex += 1
    return decoder
  }

  private func nestedDecoder() throws -> TreeDecoder {
    TreeDecoder(json: try next(), path: .index(path, currentIndex))
  }

  private func next() throws -> JSON {
    guard !isAtEnd else { throw .missing(IndexKey(intValue: currentIndex), at: path) }
    return elements[currentIndex]
  }
}

struct SingleValueTreeReader: SingleValueDecodingContainer {
  let json: JSON
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }

  func decodeNil() -> Bool { json.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try TreeDecoder.value(type, from: json, at: path)
  }
}
