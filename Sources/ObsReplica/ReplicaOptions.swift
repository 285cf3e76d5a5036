public import ObsLog

/// How a ``Replica`` behaves.
public struct ReplicaOptions: Sendable {
  /// After so many bytes of commits a snapshot is written; default 64 MiB.
  public var snapshotBytes = 64 << 20
  /// After so long with commits a snapshot is written; default 1 h.
  public var snapshotInterval = Duration.seconds(3600)
  /// How many snapshots are kept; the log is cut behind the oldest of them; default 2.
  public var keptSnapshots = 2
  /// After so long a commit is answered with `unavailable`, whatever becomes of it; default 10 s.
  public var commitTimeout = Duration.seconds(10)
  /// Hears why commits are refused, and nil when they are not any more.
  public var onTrouble: @Sendable (String?) -> Void = { _ in }
  /// Hears of snapshots that were written, or could not be.
  public var onSnapshot: @Sendable (Result<Snapshot, any Error>) -> Void = { _ in }

  /// The defaults.
  public init() {}
}
