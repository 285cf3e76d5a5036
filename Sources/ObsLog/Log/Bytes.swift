/// Reads big-endian integers and runs of bytes, one after the other.
struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count - position }

  mutating func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
    let width = Value.bitWidth / 8
    guard remaining >= width else { return nil }
    var value: Value = 0
    for byte in bytes[position..<position + width] { value = value << 8 | Value(byte) }
    position += width
    return value
  }

  mutating func run(_ count: Int) -> [UInt8]? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }
}

extension [UInt8] {
  /// Appends an integer, highest byte first.
  mutating func append(integer value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
