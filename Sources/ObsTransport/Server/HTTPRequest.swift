/// A plain HTTP request on the port of a WebSocket server, with its whole body.
public struct HTTPRequest: Sendable {
  /// One `name=value` of a query.
  public struct Parameter: Sendable, Hashable {
    /// The name, decoded.
    public var name: String
    /// The value, decoded; empty without an equals sign.
    public var value: String

    /// Makes a parameter.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `GET`, `HEAD`, `POST`, `PATCH`, `PUT`, `DELETE` or `OPTIONS`.
  public var method: String
  /// The path, percent-decoded, with its leading slash; `*` for `OPTIONS *`.
  ///
  /// Nothing but the decoding: dots, double slashes and plus signs stay.
  public var path: String
  /// The path exactly as it was sent.
  public var rawPath: String
  /// What follows the question mark exactly as it was sent, or empty.
  public var query: String
  /// The members of the query, decoded, in their order; a plus sign is a space.
  public var parameters: [Parameter]
  /// The usual headers by their lower-case names, the values of repeated ones joined by commas.
  ///
  /// `host`, `accept`, `authorization`, `content-type`, `content-length`, `cookie`, `user-agent`, `origin`, `if-match`,
  /// `if-none-match`, `x-forwarded-for`, `x-request-id`, `idempotency-key`, `last-event-id`, `sec-fetch-site` and a few that the
  /// transport itself looks at.
  public var headers: [String: String]
  /// The body, at most ``ListenOptions/maximumBodyBytes``.
  public var body: [UInt8]
  /// The numeric address of the client's end of the connection.
  public var remoteAddress: String?

  /// Makes a request, for tests of handlers.
  public init(
    method: String,
    path: String,
    query: String = "",
    parameters: [Parameter] = [],
    headers: [String: String] = [:],
    body: [UInt8] = [],
    remoteAddress: String? = nil
  ) {
    self.method = method
    self.path = path
    rawPath = path
    self.query = query
    self.parameters = parameters
    self.headers = headers
    self.body = body
    self.remoteAddress = remoteAddress
  }

  /// The value of the first parameter of that name.
  public func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }
}
