extension JSON {
  /// Parses a JSON text of any kind, also a bare scalar.
  ///
  /// Size and nesting are checked before the parser sees a byte. Refused are also: two members with the same key,
  /// integers outside Int64, numbers that overflow Double, lone surrogates, and U+0000 in a key (in text it is fine).
  /// `-0` is the integer 0, `-0.0` stays what it is, a number too small for Double becomes 0.
  ///
  /// - Parameters:
  ///   - bytes: the text in UTF-8, without a byte order mark.
  ///   - limits: the largest and deepest text that is accepted.
  /// - Throws: ``JSONError`` with kind and place.
  public init(parsing bytes: [UInt8], limits: JSONLimits = .init()) throws(JSONError) {
    guard bytes.count <= limits.maximumBytes else {
      throw JSONError(
        .tooLarge(limit: limits.maximumBytes),
        "more than \(limits.maximumBytes) bytes",
        at: 0,
        in: []
      )
    }
    try JSONPrescan.check(bytes, maximumDepth: limits.maximumDepth)
    self = try JanssonReader.parse(bytes)
  }

  /// Parses a JSON text of any kind, also a bare scalar; see ``init(parsing:limits:)-([UInt8],_)``.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - limits: the largest and deepest text that is accepted.
  /// - Throws: ``JSONError`` with kind and place.
  public init(parsing text: String, limits: JSONLimits = .init()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

/// Looks once over the bytes for what must not reach the parser.
enum JSONPrescan {
  /// Refuses nesting beyond the limit (the parser recurses) and raw NUL bytes (jansson takes `123` followed by one).
  ///
  /// Brackets inside strings do not count. Up to the first error in the text this sees strings exactly where the
  /// parser does; after it the text is refused anyway.
  static func check(_ bytes: [UInt8], maximumDepth: Int) throws(JSONError) {
    guard !bytes.isEmpty else {
      throw JSONError(.syntax, "no JSON value", at: 0, in: bytes)
    }
    let text = bytes.span
    var depth = 0
    var inString = false
    var index = 0
    while index < text.count {
      switch text[index] {
      case 0:
        throw JSONError(.syntax, "NUL byte", at: index, in: bytes)
      case UInt8(ascii: "\\") where inString:
        // The escaped byte is no quote; a NUL there is the parser's to refuse, as no escape is called so.
        index += 1
      case UInt8(ascii: "\""):
        inString.toggle()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        guard !inString else { break }
        depth += 1
        guard depth <= maximumDepth else {
          throw JSONError(
            .tooDeep(limit: maximumDepth),
            "nested deeper than \(maximumDepth)",
            at: index,
            in: bytes
          )
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if !inString { depth -= 1 }
      default:
        break
      }
      index += 1
    }
  }
}
