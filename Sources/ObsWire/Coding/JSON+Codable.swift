extension JSON: Codable {
  /// Reads any JSON value; also works with other decoders than ``JSONCoding``.
  public init(from decoder: any Decoder) throws {
    if let tree = decoder as? TreeDecoder {
      self = tree.json
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(Object(try container.decode([String: JSON].self).map { ($0, $1) }))
    }
  }

  /// Writes this value; also works with other encoders than ``JSONCoding``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let elements): try container.encode(elements)
    case .object(let object):
      try container.encode(Dictionary(object.map { ($0.key, $0.value) }) { $1 })
    }
  }
}

extension JSON.Object: Codable {
  /// Reads an object.
  public init(from decoder: any Decoder) throws {
    guard case .object(let object) = try JSON(from: decoder) else {
      throw DecodingError.typeMismatch(
        JSON.Object.self,
        .init(codingPath: decoder.codingPath, debugDescription: "must be an object")
      )
    }
    self = object
  }

  /// Writes this object.
  public func encode(to encoder: any Encoder) throws { try JSON.object(self).encode(to: encoder) }
}
