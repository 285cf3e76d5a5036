public import ObsWire

/// Who asks: passed to every command, stream and query that takes it.
///
/// Evaluations of one query are shared by all callers with the same rights, so in a *query* only
/// ``user`` and ``claims`` are set; in commands and streams ``session`` and ``address`` are, too.
public struct Caller: Sendable, Hashable {
  /// The identity that `authenticate` found; nil when nobody asked for one.
  public var user: String?
  /// What else `authenticate` says of the user: a JSON object, `{}` by default.
  public var claims: JSON
  /// The session that the server named in `connection_ack`; nil in queries.
  public var session: String?
  /// The numeric address of the other end; nil in queries.
  public var address: String?

  /// Makes a caller; everything is optional.
  public init(
    user: String? = nil,
    claims: JSON = [:],
    session: String? = nil,
    address: String? = nil
  ) {
    self.user = user
    self.claims = claims
    self.session = session
    self.address = address
  }

  /// The part that decides what a query may show: evaluations are shared by equal rights.
  var rights: Caller { Caller(user: user, claims: claims) }
}

/// What a client showed when it connected; input of ``ServerConfiguration/authenticate``.
public struct ConnectionRequest: Sendable {
  /// `payload` of `connection_init` (PROTOCOL.md, "Messages").
  public var payload: JSON.Object
  /// The `Authorization` header of the upgrade, if any.
  public var authorization: String?
  /// The `Cookie` header of the upgrade, if any.
  public var cookie: String?
  /// The `Origin` header of the upgrade, if any; it has passed the origin rules.
  public var origin: String?
  /// The numeric address of the other end.
  public var address: String
}
