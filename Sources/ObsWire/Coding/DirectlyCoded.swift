/// A type whose JSON form is chosen here, and not by its own `encode(to:)`.
protocol DirectlyEncodable {
  func json(at path: () -> CodingPath) throws -> JSON
}

/// A type that is read here, and not by its own `init(from:)`.
protocol DirectlyDecodable {
  init(json: JSON, at path: () -> CodingPath) throws
}

typealias DirectlyCoded = DirectlyEncodable & DirectlyDecodable

extension JSON: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON { self }
  init(json: JSON, at path: () -> CodingPath) throws { self = json }
}

extension JSON.Object: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON { .object(self) }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard case .object(let object) = json else { throw .mismatch("an object", json, at: path()) }
    self = object
  }
}

extension Bool: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON { .bool(self) }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard case .bool(let value) = json else { throw .mismatch("a boolean", json, at: path()) }
    self = value
  }
}

extension String: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON { .string(self) }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard case .string(let value) = json else { throw .mismatch("a string", json, at: path()) }
    self = value
  }
}

extension Double: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON {
    guard isFinite else { throw .notFinite(self, at: path()) }
    return .double(self)
  }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard let value = json.doubleValue else { throw .mismatch("a number", json, at: path()) }
    self = value
  }
}

extension Float: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON {
    guard isFinite else { throw .notFinite(Double(self), at: path()) }
    return .double(Double(description) ?? Double(self))
  }

  init(json: JSON, at path: () -> CodingPath) throws {
    let value = Float(try Double(json: json, at: path))
    guard value.isFinite else {
      throw .problem("must be a number that a Float can hold, but is \(json)", at: path())
    }
    self = value
  }
}

extension Optional: DirectlyEncodable where Wrapped: Encodable {
  func json(at path: () -> CodingPath) throws -> JSON {
    guard let self else { return .null }
    return try TreeEncoder.json(of: self, at: path())
  }
}

extension Optional: DirectlyDecodable where Wrapped: Decodable {
  init(json: JSON, at path: () -> CodingPath) throws {
    self = json.isNull ? nil : try TreeDecoder.value(Wrapped.self, from: json, at: path())
  }
}

extension Array: DirectlyEncodable where Element: Encodable {
  func json(at path: () -> CodingPath) throws -> JSON {
    var elements: [JSON] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      elements.append(try TreeEncoder.json(of: self[index], at: .index(path(), index)))
    }
    return .array(elements)
  }
}

extension Array: DirectlyDecodable where Element: Decodable {
  init(json: JSON, at path: () -> CodingPath) throws {
    guard case .array(let values) = json else { throw .mismatch("an array", json, at: path()) }
    self = []
    reserveCapacity(values.count)
    for index in 0..<values.count {
      append(try TreeDecoder.value(Element.self, from: values[index], at: .index(path(), index)))
    }
  }
}

extension Error where Self == EncodingError {
  static func notFinite(_ value: Double, at path: CodingPath) -> EncodingError {
    .problem(value, "must be finite, but is \(value)", at: path)
  }

  static func problem(_ value: Any, _ phrase: String, at path: CodingPath) -> EncodingError {
    .invalidValue(
      value,
      .init(
        codingPath: path.keys,
        debugDescription: phrase,
        underlyingError: CodingProblem(phrase: phrase)
      )
    )
  }
}
