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
    appendDigits(value)
  }

  /// Writes a number in its shortest form that reads back.
  public mutating func write(_ value: Double) {
    guard value.isFinite else {
      containsNonFinite = true
      return writeNull()
    }
    beginValue()
    if value.magnitude < 0x1p53, value.rounded() == value, value != 0 {
      // The same text, only faster.
      appendDigits(Int64(value))
      bytes.append(contentsOf: ".0".utf8)
    } else {
      bytes.append(contentsOf: value.description.utf8)
    }
  }

  /// Writes text.
  public mutating func write(_ value: String) {
    appendQuoted(value, before: needsComma ? UInt8(ascii: ",") : 0)
    needsComma = true
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
    object.forEachBorrowed { name, value in
      key(name)
      write(value)
    }
    endObject()
  }

  /// Writes a key; the next call writes its value.
  public mutating func key(_ name: String) {
    appendQuoted(name, before: needsComma ? UInt8(ascii: ",") : 0, after: UInt8(ascii: ":"))
    needsComma = false
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

  private mutating func appendDigits(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = 20
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest != 0
    bytes.append(addingCapacity: 20 - start) { output in
      for index in start..<20 { output.append(digits[index]) }
    }
  }

}
