public import FoundationEssentials

/// A log that is gone with its process: for tests, and for a server that keeps nothing.
public final class MemoryLog: CommitLog {
  /// The most bytes of a batch, unless told otherwise: 16 MiB.
  public static let defaultLargestMessage = 16 << 20

  private let core: MemoryCore
  private let arrivals = Arrivals()
  private let snapshotStore = MemorySnapshots()

  /// Makes an empty log.
  public init(id: UUID = UUID(), largestMessage: Int = MemoryLog.defaultLargestMessage) {
    core = MemoryCore(id: id, largestMessage: largestMessage, arrivals: arrivals)
  }

  /// Opens the log; what it held before it was closed is there.
  @discardableResult
  public func open() async throws(LogError) -> LogInfo { await core.open() }

  /// Ends all followers.
  public func close() async { await core.close() }

  /// What the log holds.
  public func info() async throws(LogError) -> LogInfo { try await core.info() }

  /// Appends a batch.
  @discardableResult
  public func append(_ batch: Batch) async throws(LogError) -> Place {
    try await core.append(batch)
  }

  /// The entries after a place.
  public func follow(after place: Place, chain: Hash) async throws(LogError) -> Entries {
    try await core.check(place, chain: chain)
    return Follower(core, arrivals, after: place, chain: chain).entries
  }

  /// Asks whether the log has this hash at this place.
  public func check(_ place: Place, chain: Hash) async throws(LogError) {
    try await core.check(place, chain: chain)
  }

  /// Removes the entries before a place.
  public func truncate(before place: Place) async throws(LogError) {
    try await core.truncate(before: place)
  }

  /// Checks the chain and the snapshots.
  public func verify() async throws(LogError) -> Verification {
    var result = try await core.verify()
    await result.check(snapshotStore)
    return result
  }

  /// The snapshots beside this log.
  public var snapshots: any SnapshotStore { snapshotStore }

  /// What was done.
  public var counters: LogCounters { core.counts.read }
}
