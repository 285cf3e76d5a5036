internal import ObsWire

// Text in single quotes, names in double quotes, and JSON in backticks.

extension Lexer {
  /// Reads up to a delimiter that stands behind no backslash; returns what is between.
  private mutating func quoted(by delimiter: UInt8, _ what: String) throws(QueryError)
    -> ArraySlice<UInt8>
  {
    let start = position
    position += 1
    while let byte = byte() {
      if byte == delimiter {
        position += 1
        return bytes[(start + 1)..<(position - 1)]
      }
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    let sign = Unicode.Scalar(delimiter)
    throw failure("\(what) is not closed", at: start, hint: "close it with \(sign)")
  }

  mutating func rawString() throws(QueryError) -> String {
    let start = position
    let content = try quoted(by: UInt8(ascii: "'"), "the text")
    try count(content.count, at: start)
    guard content.contains(UInt8(ascii: "\\")) else {
      return String(decoding: content, as: UTF8.self)
    }
    var decoded: [UInt8] = []
    var index = content.startIndex
    while index < content.endIndex {
      if content[index] == UInt8(ascii: "\\"), index + 1 < content.endIndex {
        let escaped = content[index + 1]
        let isEscape =
          escaped == UInt8(ascii: "'") || (escapes == .community && escaped == UInt8(ascii: "\\"))
        if !isEscape { decoded.append(UInt8(ascii: "\\")) }
        decoded.append(escaped)
        index += 2
      } else {
        decoded.append(content[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  mutating func quotedIdentifier() throws(QueryError) -> String {
    let start = position
    let content = try quoted(by: UInt8(ascii: "\""), "the name")
    if content.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\\") }) {
      return String(decoding: content, as: UTF8.self)
    }
    let name = try parse([UInt8](bytes[start..<position]), from: start) { start + $0 }
    return name.stringValue ?? ""
  }

  mutating func literal() throws(QueryError) -> JSON {
    let start = position
    let content = try quoted(by: UInt8(ascii: "`"), "the literal")
    try count(content.count, at: start)
    // `\`` stands for a backtick; every other escape is JSON's own.
    var json: [UInt8] = []
    json.reserveCapacity(content.count)
    var removed: [Int] = []
    var index = content.startIndex
    while index < content.endIndex {
      let isEscape = content[index] == UInt8(ascii: "\\") && index + 1 < content.endIndex
      if isEscape, content[index + 1] == UInt8(ascii: "`") {
        removed.append(index)
      } else {
        json.append(content[index])
      }
      if isEscape { json.append(content[index + 1]) }
      index += isEscape ? 2 : 1
    }
    return try parse(json, from: start) { offset in
      removed.reduce(start + 1 + offset) { $1 < $0 ? $0 + 1 : $0 }
    }
  }

  private mutating func count(_ bytes: Int, at place: Int) throws(QueryError) {
    literalBytes += bytes
    guard literalBytes > limits.literalBytes else { return }
    throw failure(
      "the literals have more than \(limits.literalBytes) bytes",
      at: place,
      hint: "send data as variables",
      code: .tooComplex
    )
  }

  private func parse(
    _ json: [UInt8],
    from start: Int,
    place: (Int) -> Int
  ) throws(QueryError) -> JSON {
    let error: JSONError
    do throws(JSONError) {
      return try JSON(parsing: json, limits: .unlimited)
    } catch let failure {
      error = failure
    }
    switch error.kind {
    case .numberRange:
      throw failure(error.message, at: place(error.offset), code: .numberRange)
    case .tooDeep, .tooLarge, .outOfMemory:
      throw failure("the literal is nested too deeply", at: start, code: .tooComplex)
    default:
      throw failure(
        "this is not JSON: \(error.message)",
        at: min(place(error.offset), bytes.count),
        hint: "text is written 'text' or `\"text\"`"
      )
    }
  }
}
