import Synchronization

/// What a replica has done, for metrics and health checks; read from any thread.
public struct ReplicaFigures: Sendable, Equatable {
  /// Commits that were accepted since the start, replay included.
  public var applied = 0
  /// Commits that were refused when they were applied.
  public var refused = 0
  /// Commits that were answered from memory.
  public var idempotentHits = 0
  /// Answers that are remembered now.
  public var remembered = 0
  /// Bytes of the log, without snapshots.
  public var logBytes = 0
  /// When the newest snapshot was written; nil without one.
  public var snapshotAt: ContinuousClock.Instant?
  /// Bytes of the newest snapshot.
  public var snapshotBytes = 0
  /// How long it took to load the newest snapshot and to replay the rest, in seconds.
  public var replaySeconds = 0.0
  /// Commits that were replayed at the start.
  public var replayed = 0
  /// Why commits are refused; nil while they are not.
  public var trouble: String?

  /// Nothing done yet.
  public init() {}
}

final class Figures: Sendable {
  private let figures = Mutex(ReplicaFigures())

  var now: ReplicaFigures { figures.withLock { $0 } }
  var trouble: String? { figures.withLock { $0.trouble } }

  func update(_ change: (inout ReplicaFigures) -> Void) { figures.withLock { change(&$0) } }
}
