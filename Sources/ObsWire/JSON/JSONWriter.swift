/// Writes JSON text straight into a byte buffer; the hot path of everything that is sent.
///
/// Commas are put in by the writer. Members of an object are written in the order of the calls; values written one
/// after another at the top level are separated by commas.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("id")
///     writer.write(7)
///     writer.endObject()          // {"id":7}
///
/// Doubles have the shortest form that reads back (`0.1`, `1e+22`); integral ones keep `.0`, so that a reader's types
/// do not flip. NaN and infinity have no form: they are written as `null` and remembered in ``containsNonFinite``.
public struct JSONWriter: Sendable {
  /// What has been written so far; a caller may put bytes of its own in front or take all away.
  public var bytes: [UInt8]

  /// Whether a NaN or an infinity was replaced by `null`.
  public private(set) var containsNonFinite = false

  /// Whether the next value or key stands behind another one.
  private var needsComma = false

  /// Makes a writer that appends to a buffer.
  public init(appendingTo bytes: [UInt8] = []) { self.bytes = bytes }

  /// Writes `null`.
  public mutating func writeNull() {
    beginValue()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes `true` or `false`.
  public mutating func write(_ value: Bool) {
    beginValue()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes an integer.
  public mutating func write(_ value: Int) { write(Int64(value)) }

  /// Writes an integer.
  public mutating func write(_ value: Int64) {
    beginValue()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes a number in its shortest form that reads back.
  public mutating func write(_ value: Double) {
    guard value.isFinite else {
      containsNonFinite = true
      return writeNull()
    }
    beginValue()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes text.
  public mutating func write(_ value: String) {
    beginValue()
    appendQuoted(value)
  }

  /// Writes a value and everything in it, objects in the byte order of their keys.
  public mutating func write(_ value: JSON) {
    switch value {
    case .null: writeNull()
    case .bool(let value): write(value)
    case .int(let value): write(value)
    case .double(let value): write(value)
    case .string(let value): write(value)
    case .array(let elements):
      beginArray()
      for element in elements { write(element) }
      endArray()
    case .object(let object): write(object)
    }
  }

  /// Writes an object in the byte order of its keys.
  public mutating func write(_ object: JSON.Object) {
    beginObject()
    for member in object {
      key(member.key)
      write(member.value)
    }
    endObject()
  }

  /// Writes a key; the next call writes its value.
  public mutating func key(_ name: String) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
    appendQuoted(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Opens an object.
  public mutating func beginObject() { begin(UInt8(ascii: "{")) }

  /// Closes the innermost object.
  public mutating func endObject() { end(UInt8(ascii: "}")) }

  /// Opens an array.
  public mutating func beginArray() { begin(UInt8(ascii: "[")) }

  /// Closes the innermost array.
  public mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Puts in a value that is encoded already.
  ///
  /// - Parameter encodedFragment: one complete JSON value; not looked at.
  public mutating func splice(_ encodedFragment: [UInt8]) {
    beginValue()
    bytes.append(contentsOf: encodedFragment)
  }

  private mutating func beginValue() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func begin(_ bracket: UInt8) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
    bytes.append(bracket)
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func appendQuoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
      case 0..<0x20:
        let hex = "0123456789abcdef".utf8.map(\.self)
        bytes.append(contentsOf: #"\u00"#.utf8)
        bytes.append(hex[Int(byte >> 4)])
        bytes.append(hex[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
