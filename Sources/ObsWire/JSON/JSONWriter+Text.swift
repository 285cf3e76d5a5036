extension JSONWriter {
  /// Writes `before`, the text in quotes, and `after`, in one step; 0 stands for nothing.
  mutating func appendQuoted(_ text: String, before: UInt8 = 0, after: UInt8 = 0) {
    let utf8 = text.utf8Span.span
    var isPlain = true
    if utf8.count < 64 {
      // Short text: looks and copies in one loop, and takes all back at the first byte that needs an escape.
      bytes.append(addingCapacity: utf8.count + 4) { output in
        if before != 0 { output.append(before) }
        output.append(UInt8(ascii: "\""))
        for index in utf8.indices {
          let byte = utf8[index]
          guard !Self.isSpecial(byte) else {
            isPlain = false
            output.removeAll()
            return
          }
          output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
        if after != 0 { output.append(after) }
      }
    } else {
      // Long text: two passes of vector code.
      isPlain = !Self.containsSpecial(utf8)
      if isPlain {
        if before != 0 { bytes.append(before) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\""))
        if after != 0 { bytes.append(after) }
      }
    }
    if !isPlain { appendEscaped(utf8, before: before, after: after) }
  }

  private mutating func appendEscaped(_ utf8: Span<UInt8>, before: UInt8, after: UInt8) {
    var specials = 0
    for index in utf8.indices where Self.isSpecial(utf8[index]) { specials += 1 }
    // The longest escape has six bytes in the place of one.
    bytes.append(addingCapacity: utf8.count + 5 * specials + 4) { output in
      if before != 0 { output.append(before) }
      output.append(UInt8(ascii: "\""))
      for index in utf8.indices {
        let byte = utf8[index]
        if Self.isSpecial(byte) {
          Self.appendEscape(of: byte, to: &output)
        } else {
          output.append(byte)
        }
      }
      output.append(UInt8(ascii: "\""))
      if after != 0 { output.append(after) }
    }
  }

  @inline(__always)
  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Looks at every byte, without an early exit, so that the compiler makes vector code of it.
  private static func containsSpecial(_ utf8: Span<UInt8>) -> Bool {
    var found: UInt8 = 0
    for index in utf8.indices { found |= isSpecial(utf8[index]) ? 1 : 0 }
    return found != 0
  }

  private static func appendEscape(of byte: UInt8, to output: inout OutputSpan<UInt8>) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case UInt8(ascii: "\n"): output.append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): output.append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): output.append(UInt8(ascii: "t"))
    default:
      output.append(UInt8(ascii: "u"))
      output.append(UInt8(ascii: "0"))
      output.append(UInt8(ascii: "0"))
      output.append(UInt8(ascii: "0") + byte >> 4)
      output.append((byte & 15) + (byte & 15 < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
    }
  }
}
