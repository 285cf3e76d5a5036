/// Where in a value the encoder or decoder is; made only where something nests or fails.
indirect enum CodingPath {
  case root
  case key(CodingPath, String)
  case index(CodingPath, Int)

  /// The path as the standard library wants it.
  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var place = self
    while true {
      switch place {
      case .root:
        return keys.reversed()
      case .key(let parent, let name):
        keys.append(TextKey(stringValue: name))
        place = parent
      case .index(let parent, let index):
        keys.append(IndexKey(intValue: index))
        place = parent
      }
    }
  }
}

/// A key that is only text, also where the text is a number.
struct TextKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A place in a list.
struct IndexKey: CodingKey {
  let index: Int
  var stringValue: String { "\(index)" }
  var intValue: Int? { index }

  init?(stringValue: String) { nil }
  init(intValue: Int) { index = intValue }
}
