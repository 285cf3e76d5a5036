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
    Self.excerpt(of: text, line: line, column: column)
  }

  /// The line of a query with a place that is known otherwise, as from a server, and a caret under it.
  ///
  /// - Parameters:
  ///   - text: the query.
  ///   - line: the line of the place, from 1; 0 for no place.
  ///   - column: the column of the place in code points, from 1.
  /// - Returns: two lines; only the text when it has no such line.
  public static func excerpt(of text: String, line: Int, column: Int) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return text }
    let scalars = Array(lines[line - 1])
    let place = min(max(column - 1, 0), scalars.count)
    let first = max(0, place - excerptWidth)
    let last = min(scalars.count, place + excerptWidth)
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
