/// Reads anything `Decodable` out of a ``JSON``.
struct TreeDecoder: Decoder {
  let json: JSON
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Reads a value: in the form that we chose, or else as its `init(from:)` does.
  static func value<T: Decodable>(
    _ type: T.Type,
    from json: JSON,
    at path: @autoclosure () -> CodingPath
  ) throws -> T {
    // The usual types first: comparing two metatypes is much cheaper than looking for a conformance.
    switch json {
    case .string(let text):
      if T.self == String.self, let value = text as? T { return value }
    case .int(let integer):
      if T.self == Int.self, let value = Int(integer) as? T { return value }
    case .bool(let flag):
      if T.self == Bool.self, let value = flag as? T { return value }
    case .double(let number):
      if T.self == Double.self, let value = number as? T { return value }
    case .null, .array, .object:
      break
    }
    if let direct = T.self as? any DirectlyDecodable.Type {
      guard let value = try direct.init(json: json, at: path) as? T else {
        preconditionFailure("a type's own initializer makes a value of that type")
      }
      return value
    }
    do {
      return try T(from: TreeDecoder(json: json, path: path()))
    } catch DecodingError.dataCorrupted(let context) where context.underlyingError == nil {
      // The standard library's words for a raw value that no case has.
      guard let names = caseNames(of: T.self), let text = json.stringValue else {
        throw DecodingError.dataCorrupted(context)
      }
      let choice = names.map { "`\($0)`" }.joined(separator: ", ")
      throw .problem("must be one of \(choice), but is `\(text.prefix(40))`", at: path())
    } catch let error as DecodingError {
      throw error
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path().keys, debugDescription: "\(error)", underlyingError: error)
      )
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = json else { throw .mismatch("an object", json, at: path) }
    return KeyedDecodingContainer(KeyedTreeReader<Key>(object: object, path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = json else { throw .mismatch("an array", json, at: path) }
    return UnkeyedTreeReader(elements: elements, path: path)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueTreeReader(json: json, path: path)
  }

  /// The raw values of an enum of texts that lists its cases.
  private static func caseNames(of type: Any.Type) -> [String]? {
    func texts<T: CaseIterable>(_ type: T.Type) -> [String]? {
      let names = type.allCases.prefix(20).compactMap { value in
        (value as? any RawRepresentable)?.rawValue as? String
      }
      return names.isEmpty ? nil : names
    }
    guard let type = type as? any CaseIterable.Type else { return nil }
    return texts(type)
  }
}

extension Error where Self == DecodingError {
  /// A value of another kind than was asked for; `null` counts as a missing value.
  static func mismatch(_ expected: String, _ found: JSON, at path: CodingPath) -> DecodingError {
    let problem = CodingProblem(phrase: "must be \(expected), but is \(found.kind)")
    let context = DecodingError.Context(
      codingPath: path.keys,
      debugDescription: problem.phrase,
      underlyingError: problem
    )
    return found.isNull ? .valueNotFound(JSON.self, context) : .typeMismatch(JSON.self, context)
  }

  /// A value of the right kind that does not fit.
  static func problem(_ phrase: String, at path: CodingPath) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: path.keys,
        debugDescription: phrase,
        underlyingError: CodingProblem(phrase: phrase)
      )
    )
  }

  /// A member that is not there.
  static func missing(_ key: any CodingKey, at path: CodingPath) -> DecodingError {
    .keyNotFound(
      key,
      .init(
        codingPath: path.keys,
        debugDescription: "is missing",
        underlyingError: CodingProblem(phrase: "is missing")
      )
    )
  }
}
