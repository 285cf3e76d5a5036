public import ObsServer

/// Everything that `obsd` can be told, with its defaults.
public struct Configuration: Sendable {
  /// The server's part.
  public var server = ServerConfiguration()
  /// The path of the certificate; TLS needs it and the key.
  ///
  /// Default nil: plain TCP.
  public var certificateFile: String?
  /// The path of the private key.
  public var privateKeyFile: String?
  /// The path of a JSON file that the document begins with.
  ///
  /// Default nil: `{}`.
  public var load: String?
  /// The directory of the log and its snapshots.
  ///
  /// Default `obs-data`, in the working directory.
  public var data = "obs-data"
  /// Bytes of commits after which a snapshot is written.
  ///
  /// Default 64 MiB.
  public var snapshotBytes = 64 << 20
  /// Time with commits after which a snapshot is written.
  ///
  /// Default 1 h.
  public var snapshotInterval = Duration.seconds(3600)
  /// Whether the document is kept in memory only.
  public var memory = false
  /// Whether the history of Swift Evolution is loaded and replayed.
  public var demo = false
  /// Transactions of the demo a second.
  ///
  /// Default 20; 0: as fast as it goes.
  public var demoRate = 20.0

  /// The defaults.
  public init() {}
}
