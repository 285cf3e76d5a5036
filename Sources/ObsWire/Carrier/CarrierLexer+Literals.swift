// Numbers and text (GraphQL specification: Int, Float, String and block string values).

extension CarrierLexer {
  mutating func number() throws(WireError) -> JSON {
    let start = position
    var isInteger = true
    if byte() == UInt8(ascii: "-") { position += 1 }
    let zeros = byte() == UInt8(ascii: "0")
    let whole = try digits()
    if zeros, whole > 1 {
      throw failure(
        "a number must not begin with 0",
        at: start,
        hint: "leave the zeros out, or put it in double quotes"
      )
    }
    if byte() == UInt8(ascii: ".") {
      position += 1
      isInteger = false
      _ = try digits()
    }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
      position += 1
      isInteger = false
      if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { position += 1 }
      _ = try digits()
    }
    if let byte = byte(), byte == UInt8(ascii: ".") || Self.beginsName(byte) {
      throw failure(
        "\(character(at: position)) cannot stand right after a number",
        at: position,
        hint: "put white space between a number and a name"
      )
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let value = Int64(text) { return .int(value) }
    if !isInteger, let value = Double(text), value.isFinite { return .double(value) }
    throw failure(
      isInteger ? "the integer does not fit into 64 bits" : "the number is too large for a double",
      at: start,
      hint: "put it in double quotes and send it as text",
      code: .numberRange
    )
  }

  private mutating func digits() throws(WireError) -> Int {
    let start = position
    while let byte = byte(), Self.isDigit(byte) { position += 1 }
    guard position > start else {
      let found = character(at: start)
      throw failure("a digit must stand here, but found \(found)", at: start, hint: "write `0.5`")
    }
    return position - start
  }

  mutating func string() throws(WireError) -> String {
    if has("\"\"\"") { return try blockString() }
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = byte(), !Self.endsLine(byte) {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text.append(contentsOf: String(try escape()).utf8)
      default:
        text.append(byte)
        position += 1
      }
    }
    throw failure(
      "the text is not closed",
      at: start,
      hint: "close it with `\"` on the same line; text of several lines stands in `\"\"\"`"
    )
  }

  private mutating func escape() throws(WireError) -> Unicode.Scalar {
    let start = position
    position += 2
    switch byte(-1) {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = byte() == UInt8(ascii: "{") ? bracedUnit() : codeUnit()
      if let unit, let scalar = Unicode.Scalar(unit) { return scalar }
      if let high = unit, 0xD800..<0xDC00 ~= high, has("\\u") {
        position += 2
        if let low = codeUnit(), 0xDC00..<0xE000 ~= low,
          let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        {
          return scalar
        }
      }
      throw failure(
        "the escape names no character",
        at: start,
        hint: "write `\\u00e9`, `\\u{1F600}` or the pair `\\uD83D\\uDE00`"
      )
    default:
      throw failure(
        "the escape is unknown",
        at: start,
        hint: "a backslash is written `\\\\`; escapes are `\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u`"
      )
    }
  }

  /// Four hexadecimal digits.
  private mutating func codeUnit() -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexadecimalDigit() else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  /// Any number of hexadecimal digits in braces.
  private mutating func bracedUnit() -> UInt32? {
    position += 1
    var value: UInt32 = 0
    let start = position
    while let digit = hexadecimalDigit() {
      value = value << 4 | digit
      guard value <= 0x10FFFF else { return nil }
    }
    guard position > start, byte() == UInt8(ascii: "}") else { return nil }
    position += 1
    // A pair of surrogates is written without braces only.
    return 0xD800..<0xE000 ~= value ? nil : value
  }

  private mutating func hexadecimalDigit() -> UInt32? {
    guard let byte = byte(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
      return nil
    }
    position += 1
    return UInt32(digit)
  }

  private mutating func blockString() throws(WireError) -> String {
    let start = position
    position += 3
    var lines: [[UInt8]] = [[]]
    while let byte = byte() {
      if has("\"\"\"") {
        position += 3
        return Self.unindented(lines)
      }
      if has("\\\"\"\"") {
        lines[lines.count - 1].append(contentsOf: Array(repeating: UInt8(ascii: "\""), count: 3))
        position += 4
      } else if Self.endsLine(byte) {
        position += has("\r\n") ? 2 : 1
        lines.append([])
      } else {
        lines[lines.count - 1].append(byte)
        position += 1
      }
    }
    throw failure(
      "the text is not closed",
      at: start,
      hint: "close it with `\"\"\"`; these three inside of it are written `\\\"\"\"`"
    )
  }

  /// Takes away the indentation common to all lines but the first, and blank lines around.
  private static func unindented(_ lines: [[UInt8]]) -> String {
    func indentation(_ line: [UInt8]) -> Int? {
      line.firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    }
    guard let first = lines.firstIndex(where: { indentation($0) != nil }),
      let last = lines.lastIndex(where: { indentation($0) != nil })
    else { return "" }
    let common = lines.dropFirst().compactMap(indentation).min() ?? 0
    let text = lines[first...last].enumerated().map { index, line in
      index + first == 0 ? line[...] : line.dropFirst(common)
    }
    return String(decoding: Array(text.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
  }
}
