public import ObsWire

/// What went wrong, for people and for code: the one error type of this library.
///
/// `code` says what kind of failure it is, `message` says what, where and what to do, and `retryable` says whether the
/// same request may succeed later without being changed.
public struct ClientError: Error, Sendable {
  /// The kind of failure: a code of the server (PROTOCOL.md, errors) or one of this library, such as ``ObsWire/ErrorCode/connectionLost``.
  public var code: ErrorCode
  /// A sentence for people.
  public var message: String
  /// Whether trying again, with nothing changed, may help.
  public var retryable: Bool
  /// Whether the operation lives on and a value may follow: the data can heal this error, or only one value was not of
  /// the type asked for.
  public var mayHeal = false
  /// What the server said about an operation, with hint and place, when the error came from there.
  public var wire: WireError?
  /// The code that the connection was closed with, when a close was the reason and it had one.
  public var close: CloseCode?
  /// The error below this one, when there is one.
  public var underlying: (any Error)?

  /// Makes an error from its parts.
  public init(
    _ code: ErrorCode,
    _ message: String,
    retryable: Bool = false,
    wire: WireError? = nil,
    close: CloseCode? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.retryable = retryable
    self.wire = wire
    self.close = close
    self.underlying = underlying
  }

  /// Takes over what the server said about an operation.
  init(_ wire: WireError) {
    self.init(wire.code, wire.message, retryable: wire.retryable, wire: wire)
  }
}

extension ClientError {
  /// Where in the query's text, when the server said so.
  public var location: WireError.Location? { wire?.locations.first }
  /// Where in the query's text, in code points from 0.
  public var offset: Int? { wire?.offset }
  /// What to try instead.
  public var hint: String? { wire?.hint }
  /// The place in the document that a commit failed at, as the text of a JSON Pointer.
  public var pointer: String? { wire?.pointer }
  /// Which operation of a patch failed, from 0.
  public var op: Int? { wire?.op }
}

extension ErrorCode {
  /// The connection ended before an answer came; whether the server did what was asked is not known.
  public static let connectionLost = ErrorCode(rawValue: "connection-lost")
  /// No connection could be made: nobody listens there, the name is unknown, or the handshake was refused.
  public static let unreachable = ErrorCode(rawValue: "unreachable")
  /// The server ended the connection with a code after which trying again is pointless.
  public static let refused = ErrorCode(rawValue: "refused")
  /// This client was closed by its owner.
  public static let clientClosed = ErrorCode(rawValue: "client-closed")
  /// The task that waited was cancelled; whether the server did what was asked is not known.
  public static let cancelled = ErrorCode(rawValue: "cancelled")
  /// The arguments could not be encoded as a JSON object; nothing was sent.
  public static let badArguments = ErrorCode(rawValue: "bad-arguments")
  /// A value arrived that is not of the type asked for.
  public static let badValue = ErrorCode(rawValue: "bad-value")
  /// The other side does not speak the protocol.
  public static let protocolViolation = ErrorCode(rawValue: "protocol-violation")
  /// A field of the configuration, or the address, makes no sense.
  public static let badConfiguration = ErrorCode(rawValue: "bad-configuration")
}

extension ClientError: CustomStringConvertible {
  /// The message, the code in brackets, and the server's hint when it gave one.
  public var description: String {
    let hint = hint.map { " (\($0))" } ?? ""
    return "\(message)\(hint) [\(code.rawValue)]"
  }
}
