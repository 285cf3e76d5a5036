import ObsWire

/// A key that is compared by its UTF-8 bytes; `String` itself would take two spellings of `é` for one.
struct ByteKey: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { UTF8Order.equal(left.text, right.text) }

  // Equivalent spellings share a hash; equality still tells them apart.
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
