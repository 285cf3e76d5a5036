import ObsTransport
public import ObsWire

/// How a server listens, whom it lets in, and what it allows.
///
/// Checked once by ``Server/init(_:)``; errors name the field.
public struct ServerConfiguration: Sendable {
  /// Paths of the PEM files that make the server speak TLS.
  public struct TLS: Sendable {
    /// The certificate chain, leaf first.
    public var certificateFile: String
    /// The private key of the leaf.
    public var privateKeyFile: String

    /// Names both files.
    public init(certificateFile: String, privateKeyFile: String) {
      self.certificateFile = certificateFile
      self.privateKeyFile = privateKeyFile
    }
  }

  /// The address to listen on.
  ///
  /// Default `127.0.0.1`: this machine only.
  public var host = "127.0.0.1"
  /// The port to listen on.
  ///
  /// Default 8080; 0 lets the system choose.
  public var port = 8080
  /// The path of the WebSocket endpoint.
  ///
  /// Default `/ws`.
  public var path = "/ws"
  /// TLS files; nil (the default) means plain TCP.
  public var tls: TLS?
  /// Origins of web pages, besides the server's own host, that may connect, such as
  /// `https://app.example`.
  ///
  /// Default none. A request without an `Origin` header is not from a browser and passes.
  public var allowedOrigins: [String] = []
  /// A label for clients to show, such as `production`; told in `connection_ack`.
  ///
  /// Default none.
  public var environment: String?
  /// How long a query lives on after its last subscriber has left.
  ///
  /// Default zero.
  public var linger: Duration = .zero
  /// A WebSocket ping goes out after this long without a sign of life.
  ///
  /// Default 30 s.
  public var pingInterval: Duration = .seconds(30)
  /// A peer is dead when nothing came for this long after a ping.
  ///
  /// Default 10 s.
  public var pongTimeout: Duration = .seconds(10)
  /// The time over which ``Server/run()`` closes connections after a signal.
  ///
  /// Default 2 s.
  public var drainTime: Duration = .seconds(2)
  /// Every limit, with its default.
  public var limits = Limits()
  /// Records below this level are not made.
  ///
  /// Default `info`.
  public var logLevel = LogLevel.info
  /// Where log records go.
  ///
  /// Default: one JSON line each to standard error.
  public var log: @Sendable (LogRecord) -> Void = Log.standardError
  /// Says who connects, from what `connection_init` and the upgrade showed.
  ///
  /// Nil (the default) lets everybody in, without a name. Return nil for somebody without a name;
  /// throw to refuse: the connection is closed with 4403.
  public var authenticate: (@Sendable (ConnectionRequest) async throws -> Identity?)?

  /// The defaults, with the given address.
  public init(host: String = "127.0.0.1", port: Int = 8080) {
    self.host = host
    self.port = port
  }

  /// Looks whether every field is in range, as ``Server/init(_:)`` does.
  ///
  /// - Throws: ``ServerError`` with code `bad-configuration`, naming the field.
  public func check() throws(ServerError) {
    if let problem = problem() { throw ServerError(.badConfiguration, problem) }
  }

  private func problem() -> String? {
    if !(0...65535).contains(port) { return "port must be 0 to 65535, but is \(port)" }
    if host.isEmpty { return "host must not be empty" }
    if !path.hasPrefix("/") { return "path must begin with `/`, but is `\(path)`" }
    if ["/healthz", "/readyz", "/metrics"].contains(path) { return "path `\(path)` is taken" }
    if pingInterval <= .zero { return "pingInterval must be positive" }
    if pongTimeout <= .zero { return "pongTimeout must be positive" }
    if linger < .zero { return "linger must not be negative" }
    if drainTime < .zero { return "drainTime must not be negative" }
    return limits.problem()
  }

  var listenOptions: ListenOptions {
    var options = ListenOptions()
    options.host = host
    options.port = UInt16(port)
    options.path = path
    options.allowedOrigins = allowedOrigins
    options.maximumMessageBytes = limits.messageBytes
    options.maximumBodyBytes = limits.messageBytes
    options.maximumConnections = limits.connections
    options.handshakesPerSecond = limits.connectionsPerSecond
    options.handshakeBurst = limits.connectionBurst
    options.pingInterval = pingInterval
    options.pongTimeout = pongTimeout
    options.handshakeTimeout = limits.handshakeTimeout
    if let tls {
      options.tls = TLSOptions(
        certificateFile: tls.certificateFile,
        privateKeyFile: tls.privateKeyFile
      )
    }
    return options
  }
}

/// Who a client is, as ``ServerConfiguration/authenticate`` found.
public struct Identity: Sendable, Hashable {
  /// The name that limits, idempotency keys and shared queries go by.
  public var user: String
  /// Anything else that queries and commands may decide by.
  ///
  /// Default `{}`.
  public var claims: JSON

  /// Names the user.
  public init(user: String, claims: JSON = [:]) {
    self.user = user
    self.claims = claims
  }
}

/// Where a started server can be reached.
public struct ServerAddress: Sendable, Hashable {
  /// The host it listens on.
  public let host: String
  /// The port it listens on; never 0.
  public let port: Int
  /// The path of the WebSocket endpoint.
  public let path: String
  /// Whether it speaks TLS.
  public let secure: Bool

  /// The WebSocket endpoint, such as `ws://127.0.0.1:8080/ws`.
  public var url: String { "\(secure ? "wss" : "ws")://\(authority)\(path)" }
  /// The base of plain HTTP, such as `http://127.0.0.1:8080`.
  public var httpURL: String { "\(secure ? "https" : "http")://\(authority)" }

  /// Whether only this machine reaches it.
  var isLoopback: Bool { host.hasPrefix("127.") || ["localhost", "::1"].contains(host) }

  /// Host and port; an IPv6 address stands in brackets.
  private var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

/// What a server has done since its start.
public struct ServerStatistics: Sendable, Hashable {
  /// The last turn that changed something.
  public var rev = 0
  /// Open connections now.
  public var connections = 0
  /// Connections refused before the upgrade.
  public var connectionsRefused = 0
  /// Active operations now.
  public var subscriptions = 0
  /// Distinct running queries now.
  public var liveQueries = 0
  /// Turns of the model actor.
  public var turns = 0
  /// Evaluations of live queries.
  public var evaluations = 0
  /// Values that differed from the last one.
  public var encodings = 0
  /// Times the breaker held a query back.
  public var deferrals = 0
  /// Digests of values computed, for clients that resume and for HTTP's `ETag`: at most one a value.
  public var digests = 0
  /// Values sent to clients.
  public var framesSent = 0
  /// Values replaced by newer ones before they were sent.
  public var framesSkipped = 0
  /// Those of `framesSent` that only said that the client has the value already.
  public var framesUnchanged = 0
  /// Events of streams sent.
  public var eventsSent = 0
  /// Bytes handed to sockets.
  public var bytesSent = 0
  /// Writes to sockets.
  public var socketWrites = 0
}
