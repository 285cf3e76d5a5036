internal import ObsWire

// Functions on text. Places and lengths are counted in code points.

extension Call {
  func startsWith() throws(QueryError) -> Value {
    let text = try text(0)
    let prefix = try self.text(1)
    try run.step(prefix.utf8.count / 16, at: place)
    return .bool(UTF8Order.contains(text, prefix, at: 0))
  }

  func endsWith() throws(QueryError) -> Value {
    let text = try text(0)
    let suffix = try self.text(1)
    try run.step(suffix.utf8.count / 16, at: place)
    return .bool(UTF8Order.contains(text, suffix, at: text.utf8.count - suffix.utf8.count))
  }

  func join() throws(QueryError) -> Value {
    let separator = try text(0)
    var joined = ""
    var isFirst = true
    try forEachElement(1) { (element) throws(QueryError) -> Bool in
      guard case .string(let text) = element else {
        throw typeError(found: element.kind, expects: "an array of texts")
      }
      try run.makeText(text.utf8.count + (isFirst ? 0 : separator.utf8.count), at: place)
      if !isFirst { joined += separator }
      joined += text
      isFirst = false
      return true
    }
    return .string(joined)
  }

  func changeCase(_ change: (String) -> String) throws(QueryError) -> Value {
    let text = try text(0)
    try run.step(text.utf8.count / 2, at: place)
    return try made(change(text))
  }

  /// Finds within a slice `[start:end]` of the text; the place is that in the whole text.
  func find(last: Bool) throws(QueryError) -> Value {
    try expect(.string, .string, .number, .number)
    let text = try text(0)
    let part = try self.text(1)
    let start = try integer(2)
    let end = try integer(3)
    let bytes = Array(text.utf8)
    let search = Array(part.utf8)
    try run.step(1 + (bytes.count + search.count) / 4, at: place)
    guard !search.isEmpty else { return .null }
    let bounds = Syntax.SliceBounds(start: start, stop: end, step: nil)
    let count = text.codePointCount
    let range = bounds.range(of: count)
    guard !range.isEmpty else { return .null }
    let from = Self.byteOffset(of: range.lowerBound, in: bytes)
    let to = Self.byteOffset(of: range.upperBound, in: bytes)
    let found: Int?
    if last {
      let backwards = Array(bytes[from..<to].reversed())
      found = TextSearch(search.reversed()).first(in: backwards[...]).map {
        to - $0 - search.count
      }
    } else {
      found = TextSearch(search).first(in: bytes[from..<to])
    }
    guard let found else { return .null }
    return .int(Int64(bytes[..<found].count { $0 & 0b1100_0000 != 0b1000_0000 }))
  }

  /// The byte where a code point begins.
  private static func byteOffset(of codePoint: Int, in bytes: [UInt8]) -> Int {
    var left = codePoint
    for index in bytes.indices where bytes[index] & 0b1100_0000 != 0b1000_0000 {
      if left == 0 { return index }
      left -= 1
    }
    return bytes.count
  }

  func trim(left: Bool, right: Bool) throws(QueryError) -> Value {
    let text = try text(0)
    let characters = arguments.count > 1 ? try self.text(1) : ""
    try run.step(2 * text.utf8.count + characters.utf8.count, at: place)
    let set = Set(characters.unicodeScalars)
    let isTrimmed = { (scalar: Unicode.Scalar) in
      set.isEmpty ? scalar.properties.isWhitespace : set.contains(scalar)
    }
    var scalars = text.unicodeScalars[...]
    if left { scalars = scalars.drop(while: isTrimmed) }
    if right {
      while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
    }
    return try made(String(scalars))
  }

  func pad(left: Bool) throws(QueryError) -> Value {
    try expect(.string, .number, .string)
    let text = try text(0)
    let width = try natural(1) ?? 0
    let padding = arguments.count > 2 ? try self.text(2) : " "
    guard padding.unicodeScalars.count == 1 else {
      throw valueError("the padding must be one code point")
    }
    guard width <= run.limits.padWidth else { throw run.exceeded(.padding, at: place) }
    try run.step(text.utf8.count / 16, at: place)
    let missing = width - text.codePointCount
    guard missing > 0 else { return arguments[0] }
    let fill = String(repeating: padding, count: missing)
    return try made(left ? fill + text : text + fill)
  }

  func replace() throws(QueryError) -> Value {
    try expect(.string, .string, .string, .number)
    let text = Array(try text(0).utf8)
    let part = try self.text(1)
    let replacement = Array(try self.text(2).utf8)
    let most = try natural(3) ?? .max
    try run.step(1 + (text.count + part.utf8.count) / 4, at: place)
    let pieces = try pieces(of: text, between: part, most: most)
    let (bytes, overflow) = replacement.count.multipliedReportingOverflow(by: pieces.count - 1)
    try run.makeText(overflow ? .max / 2 : bytes, at: place)
    let result = pieces.joined(separator: replacement)
    return try made(String(decoding: Array(result), as: UTF8.self))
  }

  func split() throws(QueryError) -> Value {
    try expect(.string, .string, .number)
    let text = try text(0)
    let separator = try self.text(1)
    let most = try natural(2) ?? .max
    let bytes = Array(text.utf8)
    try run.step(1 + (bytes.count + separator.utf8.count) / 4, at: place)
    let pieces: [ArraySlice<UInt8>]
    if separator.isEmpty {
      // Code point by code point: none before the first, and one behind the last only when they are counted.
      let isCounted = arguments.count > 2
      let all = try self.pieces(of: bytes, between: "", most: most == .max ? most : most + 1)
      pieces = Array(isCounted ? all.dropFirst() : all.dropFirst().dropLast())
    } else {
      pieces = try self.pieces(of: bytes, between: separator, most: most)
    }
    try run.make(pieces.count, at: place)
    return .array(pieces.map { .string(String(decoding: $0, as: UTF8.self)) })
  }

  /// The text between the places where a part stands, at most `most` of them; an empty part stands around every code
  /// point.
  private func pieces(
    of text: [UInt8],
    between part: String,
    most: Int
  ) throws(QueryError) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0
    if part.isEmpty {
      for index in 0...text.count {
        let isBoundary = index == text.count || text[index] & 0b1100_0000 != 0b1000_0000
        guard isBoundary, pieces.count < most else { continue }
        try run.step(at: place)
        pieces.append(text[start..<index])
        start = index
      }
    } else {
      let search = TextSearch(part)
      while pieces.count < most, let found = search.first(in: text[start...]) {
        try run.step(at: place)
        pieces.append(text[start..<found])
        start = found + search.part.count
      }
    }
    pieces.append(text[start...])
    return pieces
  }
}

extension Syntax.SliceBounds {
  /// The range that a slice without step takes of a list of `count` elements; empty when it is the wrong way round.
  func range(of count: Int) -> Range<Int> {
    func place(_ bound: Int?, _ absent: Int) -> Int {
      guard let bound else { return absent }
      return min(max(bound < 0 ? bound + count : bound, 0), count)
    }
    let start = place(start, 0)
    return start..<max(start, place(stop, count))
  }
}
