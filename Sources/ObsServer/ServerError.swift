/// What went wrong with a server's set-up or start.
public struct ServerError: Error, Sendable, CustomStringConvertible {
  /// The kind of error; open, so that later versions can add kinds.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name of the kind, such as `bad-configuration`.
    public let rawValue: String
    /// Makes a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A field of ``ServerConfiguration`` is out of range; the message names it.
    public static let badConfiguration = Code(rawValue: "bad-configuration")
    /// A name that may not be registered or hosted.
    public static let badName = Code(rawValue: "bad-name")
    /// A name that is registered or hosted already.
    public static let duplicateName = Code(rawValue: "duplicate-name")
    /// The server was started before, or has been stopped.
    public static let wrongState = Code(rawValue: "wrong-state")
    /// The socket could not be opened; the message says why.
    public static let cannotListen = Code(rawValue: "cannot-listen")
  }

  /// The kind of error.
  public var code: Code
  /// What was wrong, where, and what to do.
  public var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message in one line.
  public var description: String { "\(code.rawValue): \(message)" }
}
