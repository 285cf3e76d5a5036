/// Why the transport could not do what was asked.
///
/// One type for the loop, the server and the client. `code` is an open struct, so that a new reason breaks nobody.
public struct TransportError: Error, Sendable, Hashable {
  /// A reason, as a short stable word.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The word itself, for example `"bindFailed"`.
    public let rawValue: String

    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An option has a value that cannot work; the message names the field.
    public static let badOption = Code(rawValue: "badOption")
    /// The event loop or its libraries could not be started.
    public static let loopFailed = Code(rawValue: "loopFailed")
    /// The event loop was stopped.
    public static let stopped = Code(rawValue: "stopped")
    /// The address could not be bound or listened on.
    public static let bindFailed = Code(rawValue: "bindFailed")
    /// The certificate, the key or a TLS handshake was refused.
    public static let tlsFailed = Code(rawValue: "tlsFailed")
    /// The URL is not a `ws://` or `wss://` URL.
    public static let badURL = Code(rawValue: "badURL")
    /// The host name has no address.
    public static let nameNotResolved = Code(rawValue: "nameNotResolved")
    /// The TCP connection could not be made, or ended before the handshake.
    public static let connectFailed = Code(rawValue: "connectFailed")
    /// Connecting took longer than `ConnectOptions.connectTimeout`.
    public static let connectTimeout = Code(rawValue: "connectTimeout")
    /// The server answered the handshake with something other than an upgrade; see `httpStatus`.
    public static let handshakeRefused = Code(rawValue: "handshakeRefused")
    /// The peer was silent for too long.
    public static let peerSilent = Code(rawValue: "peerSilent")
    /// More waited to be sent than the limit allows.
    public static let sendBufferFull = Code(rawValue: "sendBufferFull")
    /// The connection ended without a close frame.
    public static let connectionLost = Code(rawValue: "connectionLost")
  }

  /// The reason.
  public var code: Code
  /// One sentence for people.
  public var message: String
  /// The text of the C library or of the system, where there is one.
  public var underlying: String?
  /// The status of the HTTP response that refused a handshake, where it is known.
  public var httpStatus: Int?
  /// How long the refusing server asked to wait before another try (`Retry-After` in seconds), where it did.
  public var retryAfter: Duration?

  /// Makes an error.
  public init(
    _ code: Code,
    _ message: String,
    underlying: String? = nil,
    httpStatus: Int? = nil,
    retryAfter: Duration? = nil
  ) {
    self.code = code
    self.message = message
    self.underlying = underlying
    self.httpStatus = httpStatus
    self.retryAfter = retryAfter
  }
}

extension TransportError: CustomStringConvertible {
  /// The message with its code and the underlying text.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let httpStatus { text += " (HTTP \(httpStatus))" }
    if let underlying { text += ": \(underlying)" }
    return text
  }
}
