// Dictionaries and sets: the standard library would encode them in hash order, which differs between two equal values.

extension Dictionary: DirectlyEncodable where Key: Encodable, Value: Encodable {
  func json(at path: () -> CodingPath) throws -> JSON {
    var members: [JSON.Object.Member] = []
    members.reserveCapacity(count)
    for (key, value) in self {
      guard let name = try Self.name(of: key, at: path()) else { return try pairs(at: path()) }
      members.append((name, try TreeEncoder.json(of: value, at: .key(path(), name))))
    }
    return .object(JSON.Object(unsorted: members))
  }

  /// The text of a key, or nil for one that encodes as something else.
  private static func name(of key: Key, at path: CodingPath) throws -> String? {
    if let text = key as? String { return text }
    if let representable = key as? any CodingKeyRepresentable {
      return representable.codingKey.stringValue
    }
    return switch try TreeEncoder.json(of: key, at: path) {
    case .string(let text): text
    case .int(let integer): "\(integer)"
    default: nil
    }
  }

  private func pairs(at path: CodingPath) throws -> JSON {
    let pairs = try map { key, value in
      (try TreeEncoder.json(of: key, at: path), try TreeEncoder.json(of: value, at: path))
    }
    return .array(pairs.sorted { JSONOrder.precedes($0.0, $1.0) }.flatMap { [$0.0, $0.1] })
  }
}

extension Dictionary: DirectlyDecodable where Key: Decodable, Value: Decodable {
  init(json: JSON, at path: () -> CodingPath) throws {
    self = [:]
    switch json {
    case .object(let object):
      reserveCapacity(object.count)
      for member in object {
        let key = try Self.key(member.key, at: path())
        self[key] = try TreeDecoder.value(
          Value.self,
          from: member.value,
          at: .key(path(), member.key)
        )
      }
    case .array(let elements) where elements.count.isMultiple(of: 2):
      for index in stride(from: 0, to: elements.count, by: 2) {
        let key = try TreeDecoder.value(Key.self, from: elements[index], at: .index(path(), index))
        self[key] = try TreeDecoder.value(
          Value.self,
          from: elements[index + 1],
          at: .index(path(), index + 1)
        )
      }
    default:
      throw .mismatch("an object", json, at: path())
    }
  }

  private static func key(_ name: String, at path: CodingPath) throws -> Key {
    if let key = name as? Key { return key }
    if let type = Key.self as? any CodingKeyRepresentable.Type {
      guard let key = type.init(codingKey: NameKey(name)) as? Key else {
        throw .problem("must not have the key `\(name.prefix(40))`", at: path)
      }
      return key
    }
    do {
      return try TreeDecoder.value(Key.self, from: .string(name), at: .key(path, name))
    } catch DecodingError.typeMismatch {
      guard let integer = Int64(name) else {
        throw .problem("must not have the key `\(name.prefix(40))`", at: path)
      }
      return try TreeDecoder.value(Key.self, from: .int(integer), at: .key(path, name))
    }
  }
}

extension Set: DirectlyEncodable where Element: Encodable {
  func json(at path: () -> CodingPath) throws -> JSON {
    let elements = try map { try TreeEncoder.json(of: $0, at: path()) }
    return .array(elements.sorted(by: JSONOrder.precedes))
  }
}

/// A member's name as a key that is also an integer where it reads as one.
private struct NameKey: CodingKey {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { stringValue = "\(intValue)" }
}

/// A total order of JSON values: numbers by value, text by bytes, everything else by its canonical bytes.
enum JSONOrder {
  static func precedes(_ left: JSON, _ right: JSON) -> Bool {
    switch (left, right) {
    case (.int(let left), .int(let right)): left < right
    case (.string(let left), .string(let right)): UTF8Order.precedes(left, right)
    default:
      if let first = left.doubleValue, let second = right.doubleValue, first != second {
        first < second
      } else {
        Canonical.bytes(left).lexicographicallyPrecedes(Canonical.bytes(right))
      }
    }
  }
}
