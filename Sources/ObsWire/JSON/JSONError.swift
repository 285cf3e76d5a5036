/// Why a text is not acceptable JSON, and where.
public struct JSONError: Error, Sendable, Hashable {
  /// The ways in which a text is refused.
  public enum Kind: Sendable, Hashable {
    /// More bytes than ``JSONLimits/maximumBytes``.
    case tooLarge(limit: Int)
    /// Nested deeper than ``JSONLimits/maximumDepth``, or than the parser can.
    case tooDeep(limit: Int)
    /// Not JSON.
    case syntax
    /// An object has two members with the same key.
    case duplicateKey
    /// An integer outside Int64, or a number that overflows Double.
    case numberRange
    /// The bytes are not UTF-8.
    case invalidUTF8
    /// A key contains U+0000, which the parser cannot represent.
    case nulInKey
    /// The process has no memory for it.
    case outOfMemory
  }

  /// What is wrong, to decide by.
  public var kind: Kind

  /// What is wrong, for people; without the place.
  public var message: String

  /// The place in bytes from the start of the text, from 0.
  public var offset: Int

  /// The line of the place, from 1.
  public var line: Int

  /// The column of the place in code points, from 1.
  public var column: Int
}

extension JSONError {
  /// Finds line and column of a byte offset.
  init(_ kind: Kind, _ message: String, at offset: Int, in bytes: [UInt8]) {
    let offset = min(max(offset, 0), bytes.count)
    var line = 1
    var column = 1
    for byte in bytes[..<offset] {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0b1100_0000 != 0b1000_0000 {
        column += 1
      }
    }
    self.init(kind: kind, message: message, offset: offset, line: line, column: column)
  }
}

extension JSONError: CustomStringConvertible {
  /// Text and place in one line.
  public var description: String { "\(message) (line \(line), column \(column))" }
}
