/// Finds a text in another one, in time that grows with both lengths only (Knuth, Morris, Pratt).
struct TextSearch {
  let part: [UInt8]
  /// For every prefix of `part`: how long its longest proper prefix is that also ends it.
  private let borders: [Int]

  init(_ part: String) { self.init(Array(part.utf8)) }

  init(_ part: [UInt8]) {
    var borders = [Int](repeating: 0, count: part.count)
    var length = 0
    var index = 1
    while index < part.count {
      while length > 0, part[index] != part[length] { length = borders[length - 1] }
      if part[index] == part[length] { length += 1 }
      borders[index] = length
      index += 1
    }
    self.part = part
    self.borders = borders
  }

  /// Where the part begins first; an empty part begins at once.
  func first(in text: ArraySlice<UInt8>) -> Int? {
    guard !part.isEmpty else { return text.startIndex }
    var length = 0
    for index in text.indices {
      while length > 0, text[index] != part[length] { length = borders[length - 1] }
      if text[index] == part[length] { length += 1 }
      if length == part.count { return index + 1 - length }
    }
    return nil
  }
}
