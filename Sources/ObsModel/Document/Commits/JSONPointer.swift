import ObsWire

/// A place in a JSON document (RFC 6901): `/issues/i02/title`; the empty text is the whole document.
public struct JSONPointer: Sendable {
  /// The reference tokens, unescaped.
  public let tokens: [String]

  /// Makes a pointer of tokens.
  public init(tokens: [String]) { self.tokens = tokens }

  /// Parses the text of a pointer.
  ///
  /// - Throws: `patch-failed` for text that is neither empty nor begins with `/`, and for a `~` that is not `~0` or `~1`.
  public init(_ text: String) throws(CommitError) {
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.utf8.first == UInt8(ascii: "/") else {
      throw CommitError(
        .patchFailed,
        "a pointer is empty or begins with `/`, but this is `\(text.prefix(60))`",
        pointer: text
      )
    }
    var tokens: [String] = []
    for part in text.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"),
      omittingEmptySubsequences: false
    ) {
      tokens.append(try Self.unescape(part, in: text))
    }
    self.tokens = tokens
  }

  /// Parses the form of a URI fragment: `#/c%25d`.
  ///
  /// - Throws: `patch-failed` for what is none.
  public init(fragment: String) throws(CommitError) {
    guard fragment.utf8.first == UInt8(ascii: "#"),
      let text = Self.percentDecoded(fragment.utf8.dropFirst())
    else {
      throw CommitError(
        .patchFailed,
        "a fragment begins with `#` and has `%` before two hexadecimal digits only",
        pointer: fragment
      )
    }
    try self.init(text)
  }

  private static func unescape(
    _ part: Substring.UTF8View,
    in text: String
  ) throws(CommitError) -> String {
    guard part.contains(UInt8(ascii: "~")) else { return String(Substring(part)) }
    var bytes: [UInt8] = []
    var rest = part.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.next() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default:
        throw CommitError(
          .patchFailed,
          "in a pointer `~` is followed by 0 or 1: `~0` is `~`, `~1` is `/`",
          pointer: text
        )
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func percentDecoded(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }

  /// A token as it stands in a pointer's text.
  static func escape(_ token: String) -> String {
    guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return token
    }
    var bytes: [UInt8] = []
    for byte in token.utf8 {
      switch byte {
      case UInt8(ascii: "~"): bytes.append(contentsOf: "~0".utf8)
      case UInt8(ascii: "/"): bytes.append(contentsOf: "~1".utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONPointer: CustomStringConvertible, Hashable {
  /// The pointer's text.
  public var description: String { tokens.map { "/" + JSONPointer.escape($0) }.joined() }

  /// Compares the tokens by their bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.tokens.count == right.tokens.count && right.begins(with: left)
  }

  /// Feeds the tokens into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
}

extension JSONPointer {
  /// Whether this is the whole document.
  public var isRoot: Bool { tokens.isEmpty }

  /// The place of a member or element here.
  public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

  /// The place of a pointer that starts here.
  public func appending(_ rest: JSONPointer) -> JSONPointer {
    rest.isRoot ? self : JSONPointer(tokens: tokens + rest.tokens)
  }

  /// Whether another place is this one or around it.
  func begins(with other: JSONPointer) -> Bool {
    other.tokens.count <= tokens.count
      && zip(tokens, other.tokens).allSatisfy { UTF8Order.equal($0, $1) }
  }
}
