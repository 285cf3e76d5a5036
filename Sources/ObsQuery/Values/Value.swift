public import ObsWire

/// A value while a query is evaluated: JSON, of which parts may still be references to live data.
///
/// An identifier that names a container makes a reference (``node(_:_:)``); it is read when it is used.
public enum Value {
  /// `null`, and what is absent.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number that is an exact integer.
  case int(Int64)
  /// Any other number; finite.
  case double(Double)
  /// Text.
  case string(String)
  /// A list that the query made.
  case array([Value])
  /// An object that the query made.
  case object(QueryObject)
  /// A plain list, not converted.
  case elements([JSON])
  /// A plain object, not converted.
  case members(JSON.Object)
  /// A container that is read when it is used, and the scan through which it was reached.
  case node(any Readable, ScanScope?)

  /// Makes a value of plain JSON, without copying it.
  public init(_ json: JSON) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .array(let elements): self = .elements(elements)
    case .object(let object): self = .members(object)
    }
  }

  /// The value as plain JSON; reads all of it.
  public var json: JSON {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .array(let elements): .array(elements.map(\.json))
    case .object(let object): .object(JSON.Object(object.lazy.map { ($0.key, $0.value.json) }))
    case .elements(let elements): .array(elements)
    case .members(let object): .object(object)
    case .node(let node, let scope): node.snapshot(scope)
    }
  }
}

extension Value {
  /// The types of the language.
  enum Kind: String {
    case null, boolean, number, string, array, object
  }

  var kind: Kind {
    switch self {
    case .null: .null
    case .bool: .boolean
    case .int, .double: .number
    case .string: .string
    case .array, .elements: .array
    case .object, .members: .object
    case .node(let node, _): node.form == .array ? .array : .object
    }
  }

  var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }
}
