/// A log in one directory of this machine: SQLite, one transaction and one fsync for each batch.
///
/// Files: `log.sqlite`, `snapshots.sqlite` (with their write-ahead logs), `lock`, `acked`; docs/LOG.md says what is in
/// them. The log and its snapshots have a thread each.
public final class SQLiteLog: CommitLog {
  /// How a log is kept.
  public struct Options: Sendable {
    /// The most bytes of a batch, by default 16 MiB.
    public var largestMessage = MemoryLog.defaultLargestMessage
    /// The name of a registered file layer (VFS) of SQLite, for tests and special disks; nil is the system's.
    public var vfs: String?

    /// The write-ahead logs are moved into their files at so many pages of 4 KiB.
    package var checkpointPages = 1000

    /// The defaults.
    public init() {}
  }

  /// The directory, as it was named.
  public let directory: String

  private let core: SQLiteCore
  private let snapshotStore: SQLiteSnapshots
  private let arrivals = Arrivals()

  /// Names a log; nothing is touched before ``open()``.
  /// - Throws: ``LogError/io(_:)`` when a thread cannot be started.
  public init(directory: String, options: Options = Options()) throws(LogError) {
    self.directory = directory
    core = try SQLiteCore(directory, options, arrivals)
    snapshotStore = try SQLiteSnapshots(directory, options)
  }

  /// Opens the log, makes the directory when it is missing, and checks the newest entry.
  @discardableResult
  public func open() async throws(LogError) -> LogInfo {
    await close()
    let info = try await core.open()
    do {
      try await snapshotStore.core.open(log: info.id)
    } catch {
      await close()
      throw error
    }
    return info
  }

  /// Ends all followers, closes the files and lets other processes in.
  public func close() async {
    await snapshotStore.core.close()
    await core.close()
  }

  /// What the log holds.
  public func info() async throws(LogError) -> LogInfo { try await core.info() }

  /// Appends a batch; it is on disk when this returns.
  @discardableResult
  public func append(_ batch: Batch) async throws(LogError) -> Place {
    try await core.append(batch)
  }

  /// The entries after a place, each checked against the chain.
  public func follow(after place: Place, chain: Hash) async throws(LogError) -> Entries {
    try await core.check(place, chain: chain)
    return Follower(core, arrivals, after: place, chain: chain).entries
  }

  /// Asks whether the log has this hash at this place.
  public func check(_ place: Place, chain: Hash) async throws(LogError) {
    try await core.check(place, chain: chain)
  }

  /// Removes the entries before a place, some at a time; their room is used again, and half of much given back.
  public func truncate(before place: Place) async throws(LogError) {
    while try await core.truncateSome(before: place) {}
    while try await core.giveBackSome() {}
  }

  /// Checks every page, the whole chain, the writers, and every snapshot.
  ///
  /// While SQLite checks its pages, appends wait.
  public func verify() async throws(LogError) -> Verification {
    var result = try await core.verify()
    for finding in await snapshotStore.core.verifyPages() { result.note(finding) }
    await result.check(snapshotStore)
    return result
  }

  /// The snapshots beside this log.
  public var snapshots: any SnapshotStore { snapshotStore }

  /// What was done, without waiting for the log's thread.
  public var counters: LogCounters { core.counts.read }
}
