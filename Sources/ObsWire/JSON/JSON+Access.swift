extension JSON {
  /// The member of an object; nil when this is no object or has no such member.
  public subscript(key: String) -> JSON? { objectValue?[key] }

  /// The element of an array; nil when this is no array or is shorter.
  public subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// Whether this is `null`.
  public var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }

  /// The boolean, or nil for any other kind of value.
  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The number as an integer, when it is exactly one (`3` and `3.0` are, `3.5` and `"3"` are not).
  public var intValue: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number as the nearest double, or nil for any other kind of value.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The text, or nil for any other kind of value.
  public var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The elements, or nil for any other kind of value.
  public var arrayValue: [JSON]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The members, or nil for any other kind of value.
  public var objectValue: Object? {
    guard case .object(let object) = self else { return nil }
    return object
  }

  /// What this is, as words for an error text: `a string`, `an object`, `null`.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .int: "an integer"
    case .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

// No nil literal: `json["key"] == nil` would then compare with `null` instead of asking whether there is a member.
extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes a boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .int(value) }

  /// Makes a double, also from an integral literal such as `3.0`.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Makes text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Makes a list.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Makes an object; of members with the same key the last one counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Object(unsorted: elements.map { (key: $0.0, value: $0.1) }))
  }
}
