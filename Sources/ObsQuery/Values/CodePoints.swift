extension String {
  /// How many code points the text has: bytes that continue none.
  var codePointCount: Int {
    let utf8 = utf8Span.span
    var count = 0
    for index in utf8.indices where utf8[index] & 0b1100_0000 != 0b1000_0000 { count += 1 }
    return count
  }
}
