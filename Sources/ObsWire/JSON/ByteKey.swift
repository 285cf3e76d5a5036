/// A key that is compared by its UTF-8 bytes; `String` itself would take two spellings of `é` for one.
package struct ByteKey: Hashable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool {
    UTF8Order.equal(left.text, right.text)
  }

  // Equivalent spellings share a hash; equality still tells them apart.
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
