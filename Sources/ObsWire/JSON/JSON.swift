/// A JSON value: what messages, arguments and results are made of.
///
/// Numbers are an exact `Int64` or a `Double` (PROTOCOL.md, numbers). Two values are equal when they are the same JSON
/// value: `3` equals `3.0`, integers and doubles are compared exactly (2^53 + 1 is not 9007199254740992.0), strings
/// and keys by their UTF-8 bytes and never by Unicode's canonical equivalence.
///
///     let value: JSON = ["state": "open", "limit": 10]
///     value["limit"]?.intValue   // 10
public enum JSON: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number written without fraction and exponent.
  case int(Int64)
  /// A number written with fraction or exponent; finite in everything that was parsed.
  case double(Double)
  /// Text; may contain U+0000.
  case string(String)
  /// A list.
  case array([JSON])
  /// Members, kept sorted by the UTF-8 bytes of their keys.
  case object(Object)
}

extension JSON: Hashable {
  /// Compares by JSON value: numbers exactly and across integer and double, text by UTF-8 bytes.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
    case (.int(let integer), .double(let double)), (.double(let double), .int(let integer)):
      Int64(exactly: double) == integer
    case (.string(let left), .string(let right)): UTF8Order.equal(left, right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Feeds equal values equally into the hasher, so `3` and `3.0` are one dictionary key.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null:
      hasher.combine(0)
    case .bool(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .int(let value):
      hasher.combine(2)
      hasher.combine(value)
    case .double(let value):
      hasher.combine(2)
      if let integer = Int64(exactly: value) {
        hasher.combine(integer)
      } else {
        hasher.combine(value.isNaN ? .nan : value)
      }
    case .string(let value):
      // Canonically equivalent spellings share a hash; equality still tells them apart.
      hasher.combine(3)
      hasher.combine(value)
    case .array(let elements):
      hasher.combine(4)
      hasher.combine(elements)
    case .object(let object):
      hasher.combine(5)
      hasher.combine(object)
    }
  }
}

extension JSON: CustomStringConvertible {
  /// The compact JSON text.
  public var description: String { String(decoding: encoded, as: UTF8.self) }

  /// The compact JSON text as UTF-8 bytes, with keys in byte order.
  ///
  /// NaN and infinity have no JSON form and are written as `null`; nothing parsed contains them, and ``JSONCoding``
  /// refuses them.
  public var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }
}
