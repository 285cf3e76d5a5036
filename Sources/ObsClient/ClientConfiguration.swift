public import ObsTransport
public import ObsWire

/// What a client may be told; every field has a default that fits a server on the same machine.
public struct ClientConfiguration: Sendable {
  /// The loop whose thread carries the sockets.
  ///
  /// Default nil: one loop shared by all clients of the process.
  public var loop: EventLoop?
  /// Sent as `token` in the payload of `connection_init`, never in the address.
  ///
  /// Default nil: none.
  public var token: String?
  /// Further members of the payload of `connection_init`, for an authentication of the application's own.
  public var payload: JSON.Object = [:]
  /// Asked for the members of `connection_init` before every attempt to connect, for tokens that expire.
  ///
  /// What it returns wins over `token` and `payload`. When it throws, the attempt counts as failed and is made again later.
  public var credentials: (@Sendable () async throws -> JSON.Object)?
  /// Headers of the upgrade request, such as `Authorization`.
  public var headers: [(name: String, value: String)] = []
  /// How long to wait between attempts.
  ///
  /// Default 1 to 16 s, ± 50 %.
  public var backoff = Backoff()
  /// How long opening a socket may take, until the upgrade is answered.
  ///
  /// Default 10 s.
  public var connectTimeout: Duration = .seconds(10)
  /// How long the server may take to greet after the socket is open.
  ///
  /// Default 10 s.
  public var acknowledgeTimeout: Duration = .seconds(10)
  /// Silence after which the other side is pinged.
  ///
  /// Default 30 s.
  public var pingInterval: Duration = .seconds(30)
  /// How long a pong may take before the connection counts as lost.
  ///
  /// Default 10 s.
  public var pongTimeout: Duration = .seconds(10)
  /// The largest message accepted from the server, in bytes.
  ///
  /// Default 16 MiB.
  public var maximumMessageBytes = 16 << 20
  /// How the server is trusted with `wss:`.
  ///
  /// Default: by the system's certificate authorities.
  public var trust = Trust.system
  /// How many events of one stream may wait for their reader before the socket is no longer read.
  ///
  /// Default 1,024.
  public var maximumBufferedEvents = 1024
  /// How long a reader of events may keep the socket from being read.
  ///
  /// Default 5 s.
  ///
  /// The pause holds up everything on this connection. After this time the stream that caused it ends with the error
  /// `overflow`, and the rest goes on.
  public var maximumPause: Duration = .seconds(5)

  /// Where random numbers from 0 up to 1 and waiting come from: tests put their own here.
  package var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
  package var timing: any Timing = LoopTiming()

  /// How a client trusts a server with `wss:`.
  public enum Trust: Sendable, Hashable {
    /// By the certificate authorities of the system.
    case system
    /// By the certificate authorities in a PEM file only.
    case authority(file: String)
    /// Not at all: for trying things out.
    case anybody
  }

  /// Makes the default.
  public init() {}

  /// Makes one with a token to show to the server.
  public init(token: String?) {
    self.token = token
  }
}
