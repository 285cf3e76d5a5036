import Glibc

/// A certificate and its key, as PEM files.
public struct TLSOptions: Sendable, Hashable {
  /// The path of the certificate with its chain.
  public var certificateFile: String
  /// The path of the unencrypted private key.
  public var privateKeyFile: String

  /// Names the two files.
  public init(certificateFile: String, privateKeyFile: String) {
    self.certificateFile = certificateFile
    self.privateKeyFile = privateKeyFile
  }
}

/// Where and how a ``WebSocketServer`` listens, and what it demands of peers.
///
/// Checked by ``WebSocketServer/start()``, with an error that names the field.
public struct ListenOptions: Sendable {
  /// The address or name to bind: `127.0.0.1` (default), `0.0.0.0`, `::`, `localhost`.
  public var host = "127.0.0.1"
  /// The TCP port; 0 (default) lets the system choose one.
  public var port: UInt16 = 0
  /// The one path that upgrades to WebSocket.
  ///
  /// Default `/ws`.
  public var path = "/ws"
  /// The subprotocol that is chosen when a client offers it.
  ///
  /// Clients that offer none are accepted and spoken to all the same.
  public var subprotocol = "graphql-transport-ws"
  /// Certificate and key; nil (default) for plaintext.
  public var tls: TLSOptions?
  /// The most payload bytes of one message, fragments together.
  ///
  /// Above: close 1009. Default 256 KiB.
  public var maximumMessageBytes = 256 * 1024
  /// The most WebSocket connections and streamed HTTP answers at one time.
  ///
  /// One more gets HTTP 503. Default: 10,000, or less when the process may not open that many
  /// files.
  public var maximumConnections = ListenOptions.defaultMaximumConnections
  /// The most WebSocket handshakes a second on average, of all clients together.
  ///
  /// More get HTTP 503 with a `Retry-After` that spreads them. Default 1,000.
  public var handshakesPerSecond = 1000.0
  /// How many handshakes may come at once before the rate counts.
  ///
  /// Default 2,000.
  public var handshakeBurst = 2000.0
  /// Origins, such as `https://example.org`, of pages that may connect.
  ///
  /// Always allowed: no `Origin` header (not a browser), and a page from the same host. `null` is always refused.
  public var allowedOrigins: [String] = []
  /// Whether binary messages are delivered; otherwise (default) they end the connection with 1003.
  public var acceptsBinary = false
  /// The silence after which a peer is asked for a pong, up to a quarter earlier.
  ///
  /// Default 30 s.
  public var pingInterval: Duration = .seconds(30)
  /// How long a peer that was asked may stay silent before it counts as dead.
  ///
  /// Default 10 s.
  public var pongTimeout: Duration = .seconds(10)
  /// How long a connection may take for its handshake, or stay idle between HTTP requests.
  ///
  /// Default 10 s.
  public var handshakeTimeout: Duration = .seconds(10)
  /// How long a peer may take to answer a close frame before it is cut.
  ///
  /// Default 2 s.
  public var closeTimeout: Duration = .seconds(2)
  /// The most unsent bytes that the kernel keeps for a connection (`TCP_NOTSENT_LOWAT`).
  ///
  /// Default 16 KiB.
  ///
  /// Small values keep stale frames out of the kernel: what has not left yet can still be replaced by something newer.
  public var notSentLowWater = 16 * 1024
  /// The receive buffer of each connection, allocated for its life.
  ///
  /// Default 4096; larger ones save passes for large messages.
  public var receiveBufferBytes = 4096
  /// The most bytes of the body of an HTTP request.
  ///
  /// Above: 413, and the connection ends. Default 256 KiB; 0 allows none.
  public var maximumBodyBytes = 256 * 1024
  /// How long the body of an HTTP request may take from its head on.
  ///
  /// Then: 408, and the connection ends. Default 30 s.
  public var bodyTimeout: Duration = .seconds(30)
  /// How long a handler may take for the answer to an HTTP request, or the begin of it.
  ///
  /// Then: 503, and the connection ends. Default 60 s.
  public var answerTimeout: Duration = .seconds(60)

  /// The default options.
  public init() {}

  /// 10,000, or what the limit on open files leaves after a reserve of 64.
  public static var defaultMaximumConnections: Int { min(10_000, max(1, connectionRoom)) }

  /// The most connections that the process's limit on open files leaves, after a reserve of 64.
  public static var connectionRoom: Int { openFileLimit - 64 }

  /// The soft limit of `RLIMIT_NOFILE`.
  static var openFileLimit: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 1024
    }
    return Int(clamping: limit.rlim_cur)
  }

  func check() throws(TransportError) {
    func require(_ holds: Bool, _ field: String, _ rule: String) throws(TransportError) {
      guard holds else { throw TransportError(.badOption, "\(field) \(rule)") }
    }
    try require(!host.isEmpty, "host", "must not be empty")
    try require(path.hasPrefix("/"), "path", "must begin with /")
    try require(!path.contains(where: { " ?#".contains($0) }), "path", "must be a path only")
    try require(
      !subprotocol.isEmpty && subprotocol.utf8.count <= 63
        && subprotocol.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ",") },
      "subprotocol",
      "must be a token of at most 63 bytes"
    )
    try require(maximumMessageBytes > 0, "maximumMessageBytes", "must be positive")
    try require(maximumConnections > 0, "maximumConnections", "must be positive")
    let room = Self.connectionRoom
    try require(
      maximumConnections <= room,
      "maximumConnections",
      "must leave 64 of the process's open files (ulimit -n): at most \(room)"
    )
    try require(handshakesPerSecond > 0, "handshakesPerSecond", "must be positive")
    try require(handshakeBurst >= 1, "handshakeBurst", "must be at least 1")
    try require(pingInterval > .zero, "pingInterval", "must be positive")
    try require(pongTimeout > .zero, "pongTimeout", "must be positive")
    try require(handshakeTimeout > .zero, "handshakeTimeout", "must be positive")
    try require(closeTimeout > .zero, "closeTimeout", "must be positive")
    try require(notSentLowWater >= 1024, "notSentLowWater", "must be at least 1024")
    try require(
      (512...65536).contains(receiveBufferBytes),
      "receiveBufferBytes",
      "must be 512 to 65536"
    )
    try require(maximumBodyBytes >= 0, "maximumBodyBytes", "must not be negative")
    try require(bodyTimeout > .zero, "bodyTimeout", "must be positive")
    try require(answerTimeout > .zero, "answerTimeout", "must be positive")
  }

  var timing: ConnectionTiming {
    ConnectionTiming(
      pingInterval: pingInterval.milliseconds,
      pongTimeout: pongTimeout.milliseconds,
      handshakeTimeout: handshakeTimeout.milliseconds,
      closeTimeout: closeTimeout.milliseconds
    )
  }
}
