/// A message that breaks the protocol; the connection is closed with this.
public struct ProtocolViolation: Error, Sendable, Hashable {
  /// The most bytes of UTF-8 that a close frame has room for (RFC 6455, section 5.5).
  public static let maximumReasonBytes = 123

  /// The code of the close frame.
  public var close: CloseCode

  /// The reason of the close frame, ready to be sent: at most 123 bytes of UTF-8.
  public var reason: String

  /// The id of the operation that the message was about, where it could be read.
  public var operation: String?

  /// Makes a violation.
  ///
  /// - Parameters:
  ///   - close: the code of the close frame.
  ///   - reason: cut at a character boundary where it is too long; nil takes the code's default.
  ///   - operation: the id where known.
  public init(_ close: CloseCode, reason: String? = nil, operation: String? = nil) {
    self.close = close
    self.reason = Self.cut(reason ?? close.defaultReason)
    self.operation = operation
  }

  /// Makes `4400 bad message: …`.
  static func badMessage(_ what: String, operation: String? = nil) -> ProtocolViolation {
    ProtocolViolation(.badMessage, reason: "bad message: \(what)", operation: operation)
  }

  /// What a text that is no acceptable JSON ends a connection with.
  init(_ error: JSONError, in text: [UInt8]) {
    switch error.kind {
    case .tooLarge(let limit): self.init(.messageTooBig, reason: "message over \(limit) bytes")
    case .invalidUTF8: self.init(.invalidUTF8)
    case .numberRange: self = .badMessage("number out of range at \(error.pointer(in: text))")
    default: self = .badMessage("\(error.message) at byte \(error.offset)")
    }
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > maximumReasonBytes else { return text }
    var end = text.startIndex
    while true {
      let next = text.index(after: end)
      guard text.utf8.distance(from: text.startIndex, to: next) <= maximumReasonBytes else { break }
      end = next
    }
    return String(text[..<end])
  }
}
