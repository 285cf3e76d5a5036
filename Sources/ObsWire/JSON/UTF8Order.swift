/// Compares text by its UTF-8 bytes, which is also the order of its code points.
///
/// Swift's own `==` and `<` use canonical equivalence: two spellings of `é` would be one key, and sorting would depend
/// on normalization. Nothing that reaches the wire may use them.
package enum UTF8Order {
  package static func equal(_ left: String, _ right: String) -> Bool {
    let left = left.utf8Span.span
    let right = right.utf8Span.span
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }

  package static func precedes(_ left: String, _ right: String) -> Bool { compare(left, right) < 0 }

  /// Negative when `left` comes first, 0 when the bytes are equal, positive when `right` comes first.
  package static func compare(_ left: String, _ right: String) -> Int {
    let left = left.utf8Span.span
    let right = right.utf8Span.span
    let shared = min(left.count, right.count)
    for index in 0..<shared where left[index] != right[index] {
      return left[index] < right[index] ? -1 : 1
    }
    return left.count - right.count
  }
}
