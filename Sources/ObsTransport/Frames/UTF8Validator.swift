/// Validates UTF-8 (RFC 3629) that arrives in pieces.
///
/// Surrogates, overlong forms and code points over U+10FFFF are refused, at the earliest byte that shows the fault.
struct UTF8Validator {
  /// Continuation bytes still to come.
  private var missing: UInt8 = 0
  /// The bounds of the next byte; narrower than 80...BF after E0, ED, F0 and F4.
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Whether the text so far ends between characters.
  var isComplete: Bool { missing == 0 }

  /// Takes the next bytes; false when they cannot be part of UTF-8.
  mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    let count = bytes.count
    while index < count {
      if missing == 0 {
        // Eight ASCII bytes at a time.
        while index + 8 <= count,
          unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            & 0x8080_8080_8080_8080 == 0
        { index += 8 }
        guard index < count else { break }
      }
      let byte = unsafe bytes[index]
      index += 1
      if missing > 0 {
        guard byte >= low, byte <= high else { return false }
        missing -= 1
        low = 0x80
        high = 0xBF
        continue
      }
      switch byte {
      case 0x00...0x7F: break
      case 0xC2...0xDF: missing = 1
      case 0xE0: begin(2, 0xA0, 0xBF)
      case 0xED: begin(2, 0x80, 0x9F)
      case 0xE1...0xEF: missing = 2
      case 0xF0: begin(3, 0x90, 0xBF)
      case 0xF1...0xF3: missing = 3
      case 0xF4: begin(3, 0x80, 0x8F)
      default: return false
      }
    }
    return true
  }

  private mutating func begin(_ missing: UInt8, _ low: UInt8, _ high: UInt8) {
    self.missing = missing
    self.low = low
    self.high = high
  }
}
