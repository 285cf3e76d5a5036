/// Something in a query's text that is allowed and probably not meant.
public struct QueryWarning: Sendable, Hashable {
  /// What is surprising, and what to write instead.
  public var message: String
  /// The line of the place, from 1.
  public var line: Int
  /// The column of the place in code points, from 1.
  public var column: Int
  /// The place in code points from the start of the text, from 0.
  public var offset: Int

  init(_ message: String, at place: TextPlace) {
    self.message = message
    line = place.line
    column = place.column
    offset = place.offset
  }
}

extension QueryWarning: CustomStringConvertible {
  /// Text and place in one line.
  public var description: String { "\(message) (line \(line), column \(column))" }
}
