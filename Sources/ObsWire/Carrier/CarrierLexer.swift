/// Cuts a carrier document into tokens (GraphQL specification, lexical tokens).
struct CarrierLexer {
  enum Token: Equatable {
    case name(String)
    /// One of `! $ & ( ) : = @ [ ] { | }`.
    case mark(UInt8)
    case spread
    case number(JSON)
    case string(String)
    case end
  }

  let bytes: [UInt8]
  var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The next token, and the byte where it begins.
  mutating func next() throws(WireError) -> (token: Token, start: Int) {
    skipIgnored()
    let start = position
    guard let byte = byte() else { return (.end, start) }
    switch byte {
    case UInt8(ascii: "\""):
      return (.string(try string()), start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return (.number(try number()), start)
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "|"),
      UInt8(ascii: "}"):
      position += 1
      return (.mark(byte), start)
    case UInt8(ascii: ".") where has("..."):
      position += 3
      return (.spread, start)
    default:
      if let word = word() { return (.name(word), start) }
      let hint =
        byte == UInt8(ascii: "'")
        ? "text stands in double quotes" : "outside of text only names, numbers and marks can stand"
      throw failure("\(character(at: start)) cannot stand here", at: start, hint: hint)
    }
  }

  /// The next name, if one stands there.
  mutating func word() -> String? {
    skipIgnored()
    let start = position
    guard let first = byte(), Self.beginsName(first) else { return nil }
    while let byte = byte(), Self.beginsName(byte) || Self.isDigit(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// The byte with which the next token begins.
  mutating func peek() -> UInt8? {
    skipIgnored()
    return byte()
  }

  /// White space, line ends, commas, comments and byte order marks mean nothing.
  private mutating func skipIgnored() {
    while let byte = byte() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
        UInt8(ascii: ","):
        position += 1
      case UInt8(ascii: "#"):
        while let byte = self.byte(), !Self.endsLine(byte) { position += 1 }
      case 0xEF where has("\u{FEFF}"):
        position += 3
      default:
        return
      }
    }
  }

  // What the parts of the lexer share.

  func byte(_ ahead: Int = 0) -> UInt8? {
    let index = position + ahead
    return index < bytes.count ? bytes[index] : nil
  }

  func has(_ text: String) -> Bool {
    let count = text.utf8.count
    return bytes.count - position >= count
      && bytes[position..<position + count].elementsEqual(text.utf8)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  static func endsLine(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  static func beginsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// A character of the text, for a message.
  func character(at start: Int) -> String {
    let rest = String(decoding: bytes[start..<min(start + 4, bytes.count)], as: UTF8.self)
    guard let scalar = rest.unicodeScalars.first else { return "the end" }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .nonspacingMark,
      .unassigned, .privateUse:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    default:
      return "`\(scalar)`"
    }
  }

  /// An error at a byte of the text.
  func failure(
    _ message: String,
    at start: Int,
    hint: String,
    code: ErrorCode = .syntax
  ) -> WireError {
    var place = CarrierPlace()
    place.advance(to: start, in: bytes)
    return WireError(
      code,
      message,
      locations: [place.location],
      extensions: ["offset": .int(Int64(place.offset)), "hint": .string(hint)]
    )
  }
}

/// A place in a text, which only moves forward.
struct CarrierPlace {
  private var position = 0
  private var line = 1
  private var column = 1

  /// Code points before this place.
  private(set) var offset = 0

  var location: WireError.Location { .init(line: line, column: column) }

  mutating func advance(to end: Int, in bytes: [UInt8]) {
    while position < min(end, bytes.count) {
      let byte = bytes[position]
      let isSecondOfLineEnd =
        byte == UInt8(ascii: "\n") && position > 0 && bytes[position - 1] == UInt8(ascii: "\r")
      position += 1
      guard byte & 0b1100_0000 != 0b1000_0000 else { continue }
      offset += 1
      if isSecondOfLineEnd { continue }
      if CarrierLexer.endsLine(byte) {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
  }
}
