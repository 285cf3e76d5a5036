internal import ObsWire

/// Cuts a query's text into tokens.
struct Lexer {
  let text: String
  let bytes: [UInt8]
  let limits: ExpressionLimits
  let escapes: RawStringEscapes
  var position = 0
  var literalBytes = 0

  init(_ text: String, limits: ExpressionLimits, escapes: RawStringEscapes) {
    self.text = text
    self.limits = limits
    self.escapes = escapes
    bytes = Array(text.utf8)
  }

  /// All tokens; the last one is ``Token/Kind/end``.
  static func tokens(
    of text: String,
    limits: ExpressionLimits,
    escapes: RawStringEscapes
  ) throws(QueryError) -> [Token] {
    guard text.utf8.count <= limits.textBytes else {
      throw QueryError(
        .tooComplex,
        "the query has more than \(limits.textBytes) bytes",
        at: TextPlace(ofByte: 0, in: text)
      )
    }
    var lexer = Lexer(text, limits: limits, escapes: escapes)
    var tokens: [Token] = []
    tokens.reserveCapacity(text.utf8.count / 3 + 2)
    while true {
      let token = try lexer.next()
      tokens.append(token)
      if case .end = token.kind { return tokens }
    }
  }

  private mutating func next() throws(QueryError) -> Token {
    while let byte = byte(), Self.isSpace(byte) { position += 1 }
    let start = position
    guard let byte = byte() else { return Token(kind: .end, start: start, end: start) }
    let kind = try kind(from: byte)
    return Token(kind: kind, start: start, end: position)
  }

  private mutating func kind(from byte: UInt8) throws(QueryError) -> Token.Kind {
    switch byte {
    case _ where Self.beginsName(byte): return .identifier(name())
    case UInt8(ascii: "\""): return .quotedIdentifier(try quotedIdentifier())
    case UInt8(ascii: "'"): return .literal(.string(try rawString()))
    case UInt8(ascii: "`"): return .literal(try literal())
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "-"):
      if let next = self.byte(1), Self.isDigit(next) { return .number(try number()) }
      return mark(.minus, bytes: 1)
    case UInt8(ascii: "$"):
      guard let next = self.byte(1), Self.beginsName(next) else { return mark(.dollar, bytes: 1) }
      position += 1
      return .variable(name())
    default:
      if let mark = mark(from: byte) { return .mark(mark) }
      throw unknownCharacter()
    }
  }

  private mutating func mark(_ mark: Token.Mark, bytes: Int) -> Token.Kind {
    position += bytes
    return .mark(mark)
  }

  private mutating func mark(from byte: UInt8) -> Token.Mark? {
    let second = self.byte(1)
    let found: (mark: Token.Mark, count: Int)
    switch byte {
    case UInt8(ascii: "."): found = (.dot, 1)
    case UInt8(ascii: "*"): found = (.star, 1)
    case UInt8(ascii: ","): found = (.comma, 1)
    case UInt8(ascii: ":"): found = (.colon, 1)
    case UInt8(ascii: "@"): found = (.at, 1)
    case UInt8(ascii: "?"): found = (.question, 1)
    case UInt8(ascii: "("): found = (.openParenthesis, 1)
    case UInt8(ascii: ")"): found = (.closeParenthesis, 1)
    case UInt8(ascii: "{"): found = (.openBrace, 1)
    case UInt8(ascii: "}"): found = (.closeBrace, 1)
    case UInt8(ascii: "["):
      switch second {
      case UInt8(ascii: "?"): found = (.filter, 2)
      case UInt8(ascii: "]"): found = (.flatten, 2)
      default: found = (.openBracket, 1)
      }
    case UInt8(ascii: "]"): found = (.closeBracket, 1)
    case UInt8(ascii: "|"): found = second == UInt8(ascii: "|") ? (.or, 2) : (.pipe, 1)
    case UInt8(ascii: "&"): found = second == UInt8(ascii: "&") ? (.and, 2) : (.ampersand, 1)
    case UInt8(ascii: "!"): found = second == UInt8(ascii: "=") ? (.notEqual, 2) : (.not, 1)
    case UInt8(ascii: "="): found = second == UInt8(ascii: "=") ? (.equal, 2) : (.assign, 1)
    case UInt8(ascii: "<"): found = second == UInt8(ascii: "=") ? (.lessOrEqual, 2) : (.less, 1)
    case UInt8(ascii: ">"):
      found = second == UInt8(ascii: "=") ? (.greaterOrEqual, 2) : (.greater, 1)
    case UInt8(ascii: "+"): found = (.plus, 1)
    case UInt8(ascii: "%"): found = (.modulo, 1)
    case UInt8(ascii: "/"): found = second == UInt8(ascii: "/") ? (.floorDivide, 2) : (.divide, 1)
    // U+2212, U+00D7, U+00F7.
    case 0xE2 where second == 0x88 && self.byte(2) == 0x92: found = (.minus, 3)
    case 0xC3 where second == 0x97: found = (.multiply, 2)
    case 0xC3 where second == 0xB7: found = (.divide, 2)
    default: return nil
    }
    position += found.count
    return found.mark
  }

  private mutating func name() -> String {
    let start = position
    while let byte = byte(), Self.beginsName(byte) || Self.isDigit(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func number() throws(QueryError) -> Int {
    let start = position
    position += 1
    while let byte = byte(), Self.isDigit(byte) { position += 1 }
    if let number = Int(String(decoding: bytes[start..<position], as: UTF8.self)) { return number }
    throw failure("the number does not fit into 64 bits", at: start, code: .numberRange)
  }

  private func unknownCharacter() -> QueryError {
    let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
    let character = rest.unicodeScalars.first.map { "`\($0)`" } ?? "this"
    let hint: String? =
      switch rest.unicodeScalars.first {
      case "“", "”", "‘", "’": "quotes are plain: 'text' and \"name\""
      case "#": "there are no comments"
      case "\u{a0}": "this is a no-break space; write a plain one"
      default: "a name with other characters stands in double quotes"
      }
    return failure("\(character) cannot stand here", at: position, hint: hint)
  }

  func failure(
    _ message: String,
    at place: Int,
    hint: String? = nil,
    code: QueryError.Code = .syntax
  ) -> QueryError {
    QueryError(code, message, at: TextPlace(ofByte: place, in: text), hint: hint)
  }

  func byte(_ distance: Int = 0) -> UInt8? {
    let index = position + distance
    return index < bytes.count ? bytes[index] : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private static func beginsName(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
  }
}
