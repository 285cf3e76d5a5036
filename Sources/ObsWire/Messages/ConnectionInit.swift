/// The members of `connection_init.payload` that this protocol knows (PROTOCOL.md, messages).
///
///     {"token":"eyJ…","keepAlive":30000,"client":"obsctl/1.0"}
///
/// Other members are the application's and stay in the payload.
public struct ConnectionInit: Sendable, Hashable {
  /// The shortest time that a client may ask for with `keepAlive`.
  public static let minimumKeepAlive: Duration = .milliseconds(5000)

  /// The bearer token: `token`, else `Authorization` or `authorization` without their leading `Bearer `.
  public var token: String?

  /// After how much silence the server is to send a `ping`.
  ///
  /// At least 5 s, on the wire in milliseconds; nil: never.
  public var keepAlive: Duration?

  /// Name and version of the client, for logs.
  public var client: String?

  /// Reads the known members of a payload.
  ///
  /// - Throws: 4400 when one of them has the wrong type or range.
  public init(payload: JSON.Object) throws(ProtocolViolation) {
    let members = MemberReader(object: payload, path: "payload", operation: nil)
    if let token = try members.optionalString("token") {
      self.token = token
    } else {
      let header =
        payload["Authorization"]?.stringValue ?? payload["authorization"]?.stringValue
      token = header.flatMap(Self.bearer)
    }
    keepAlive = try members.optionalInteger("keepAlive", atLeast: 5000).map { .milliseconds($0) }
    client = payload["client"].map { $0.stringValue ?? $0.description }
  }

  private static func bearer(_ header: String) -> String? {
    let scheme = "bearer "
    guard header.prefix(scheme.count).lowercased() == scheme else { return nil }
    return String(header.dropFirst(scheme.count))
  }
}
