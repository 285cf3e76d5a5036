/// A place in a query's text, counted in code points.
struct TextPlace {
  /// From 1; 0 for no place.
  var line: Int
  /// From 1; 0 for no place.
  var column: Int
  /// From 0.
  var offset: Int

  static let none = TextPlace(line: 0, column: 0, offset: 0)
}

extension TextPlace {
  /// Finds the place of a byte of the text.
  init(ofByte byte: Int, in text: String) {
    self.init(line: 1, column: 1, offset: 0)
    for unit in text.utf8.prefix(byte) where unit & 0b1100_0000 != 0b1000_0000 {
      offset += 1
      if unit == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
  }
}
