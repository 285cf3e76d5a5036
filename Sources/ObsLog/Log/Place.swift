/// Where an entry stands in a log.
///
/// The engine's own number: only its order counts, and some engines leave gaps. 0 is before the first entry.
public struct Place: Comparable, Hashable, Sendable {
  /// The engine's number.
  public var message: UInt64

  /// Makes a place from the engine's number.
  public init(_ message: UInt64) { self.message = message }

  /// Before the first entry of every log.
  public static let start = Place(0)

  /// Orders places as the log does.
  public static func < (left: Place, right: Place) -> Bool { left.message < right.message }
}

extension Place: CustomStringConvertible {
  /// The number.
  public var description: String { "\(message)" }
}
