extension QueryError {
  /// The line of the query with the place, and a caret under it.
  ///
  ///     values(issues)[?state = 'open']
  ///                           ^
  ///
  /// Tabs are kept, so that the caret stands right wherever they end. A long line is shown around the place.
  ///
  /// - Parameter text: the text that was parsed.
  /// - Returns: two lines; only the text when the error has no place.
  public func excerpt(of text: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    guard hasPlace, lines.indices.contains(line - 1) else { return text }
    let scalars = Array(lines[line - 1])
    let place = min(column - 1, scalars.count)
    let first = max(0, place - Self.excerptWidth)
    let last = min(scalars.count, place + Self.excerptWidth)
    let before = first > 0 ? "…" : ""
    let after = last < scalars.count ? "…" : ""
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: scalars[first..<last])
    let indent = scalars[first..<place].map { $0 == "\t" ? "\t" : " " }.joined()
    return before + String(shown) + after + "\n" + (before.isEmpty ? "" : " ") + indent + "^"
  }

  /// How many code points are shown on each side of the place.
  private static let excerptWidth = 60
}
