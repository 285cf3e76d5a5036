public import FoundationEssentials

/// A log of commits in one order, durable before it answers (docs/LOG.md).
///
/// Engines: ``MemoryLog``, ``SQLiteLog``; later ones carry many nodes. All pass one conformance suite. Methods may be
/// called from any actor and never block its thread.
public protocol CommitLog: Sendable {
  /// Opens the log, makes it when there is none, and checks what can be checked quickly.
  ///
  /// On an open log it opens anew: the way out after a failure that closed it for writing.
  @discardableResult
  func open() async throws(LogError) -> LogInfo

  /// Ends all followers and lets go of what the log holds.
  func close() async

  /// What the log is and holds now.
  func info() async throws(LogError) -> LogInfo

  /// Appends a batch; when it returns, the entry survives what ``LogInfo/survives`` says.
  ///
  /// A (writer, n) that is in the log is answered with its old place. After ``LogError/doubtful(_:)`` the caller
  /// sends the same batch again, and no other before it.
  @discardableResult
  func append(_ batch: Batch) async throws(LogError) -> Place

  /// The entries after a place in order, for ever; they end when the log is closed or the task is cancelled.
  ///
  /// - Throws: ``LogError/truncated(first:)`` when entries after `place` are gone, ``LogError/forked(at:)`` when
  ///   `chain` is not the log's hash at `place`: both say to load a snapshot.
  func follow(after place: Place, chain: Hash) async throws(LogError) -> Entries

  /// Asks whether the log has this hash at this place: the fork check of a node that connects again, or is idle.
  ///
  /// - Throws: as ``follow(after:chain:)``.
  func check(_ place: Place, chain: Hash) async throws(LogError)

  /// Removes the entries before a place, which a durable snapshot must stand for.
  ///
  /// `place` may be one after the last at most. In slices; appends go on meanwhile.
  func truncate(before place: Place) async throws(LogError)

  /// Checks everything: storage, order, the whole chain, every snapshot.
  func verify() async throws(LogError) -> Verification

  /// The snapshots beside this log.
  var snapshots: any SnapshotStore { get }

  /// What was done since the log object was made, for metrics.
  var counters: LogCounters { get }
}

/// What a log is and holds.
public struct LogInfo: Hashable, Sendable {
  /// What an acknowledged entry survives.
  public enum Survival: String, Sendable {
    /// Nothing: it is gone with the process.
    case nothing
    /// The death of the process, not that of the machine.
    case process
    /// Loss of power.
    case power
    /// Loss of a machine.
    case machine
  }

  /// Names the log; a restored copy has another.
  public var id: UUID
  /// The place after which following can begin at the earliest: that of the newest removed entry, or ``Place/start``.
  public var base: Place
  /// The hash at `base`.
  public var baseChain: Hash
  /// The place of the newest entry; `base` when there is none.
  public var last: Place
  /// The hash at `last`.
  public var chain: Hash
  /// Log time at `last`: the highest time of any batch, in milliseconds since 1970; 0 before the first.
  public var time: Int64
  /// What an acknowledged entry survives.
  public var survives: Survival
  /// The most bytes of a batch, as ``Chain/bodyCount(_:)`` counts them.
  public var largestMessage: Int
  /// The bytes that the log takes where it is stored, without snapshots.
  public var bytes: Int

  /// True when the log has no entries (any more).
  public var isEmpty: Bool { base == last }

  /// Makes a description of a log.
  public init(
    id: UUID,
    base: Place,
    baseChain: Hash,
    last: Place,
    chain: Hash,
    time: Int64,
    survives: Survival,
    largestMessage: Int,
    bytes: Int
  ) {
    self.id = id
    self.base = base
    self.baseChain = baseChain
    self.last = last
    self.chain = chain
    self.time = time
    self.survives = survives
    self.largestMessage = largestMessage
    self.bytes = bytes
  }
}

/// What a log did, for metrics.
public struct LogCounters: Hashable, Sendable {
  /// Entries that were appended.
  public var batches = 0
  /// Commits in them.
  public var commits = 0
  /// Bytes of their bodies.
  public var bytes = 0
  /// Time in which appends waited for the disk, in nanoseconds: one fsync each.
  public var flushNanoseconds: UInt64 = 0
  /// The longest of these waits, in nanoseconds.
  public var longestFlushNanoseconds: UInt64 = 0

  /// Nothing done yet.
  public init() {}

  mutating func count(_ batch: Batch, bytes: Int, flush: UInt64) {
    batches += 1
    commits += batch.commits.count
    self.bytes += bytes
    flushNanoseconds += flush
    longestFlushNanoseconds = max(longestFlushNanoseconds, flush)
  }
}

/// What a check of everything found.
public struct Verification: Sendable {
  /// Entries that were read.
  public var entries = 0
  /// Commits in them.
  public var commits = 0
  /// Snapshots that were read.
  public var snapshots = 0
  /// What is wrong, at most ``findingsAtMost``; empty when all is well.
  public var findings: [LogError] = []

  /// The check ends after so many findings.
  public static let findingsAtMost = 100

  /// Nothing checked yet.
  public init() {}
}
