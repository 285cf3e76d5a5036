public import ObsLog

/// A log whose appends wait for the test, and fail when it says so.
public final class GatedLog: CommitLog {
  /// What happens to an append.
  public enum Verdict: Sendable {
    /// It is written.
    case write
    /// It is written, and the answer lost.
    case writeAndFail(LogError)
    /// It is not written.
    case fail(LogError)
  }

  /// Batches that came to be appended; each waits for a verdict.
  public let arrived = Mailbox<Batch>()
  /// Takes the verdicts, one for each append.
  public let verdicts = Mailbox<Verdict>()

  private let log: MemoryLog

  /// Makes an empty log.
  public init(largestMessage: Int = 1 << 22) { log = MemoryLog(largestMessage: largestMessage) }

  /// What the log behind it does, when the gate lets it.
  public func append(_ batch: Batch) async throws(LogError) -> Place {
    arrived.post(batch)
    switch await verdicts.next() {
    case .write: return try await log.append(batch)
    case .writeAndFail(let error):
      try await log.append(batch)
      throw error
    case .fail(let error): throw error
    case nil: throw .closed
    }
  }

  /// What the log behind it does, when the gate lets it.
  public func open() async throws(LogError) -> LogInfo { try await log.open() }
  /// What the log behind it does, when the gate lets it.
  public func close() async { await log.close() }
  /// What the log behind it does, when the gate lets it.
  public func info() async throws(LogError) -> LogInfo { try await log.info() }
  /// What the log behind it does, when the gate lets it.
  public func follow(after place: Place, chain: Hash) async throws(LogError) -> Entries {
    try await log.follow(after: place, chain: chain)
  }
  /// What the log behind it does, when the gate lets it.
  public func check(_ place: Place, chain: Hash) async throws(LogError) {
    try await log.check(place, chain: chain)
  }
  /// What the log behind it does, when the gate lets it.
  public func truncate(before place: Place) async throws(LogError) {
    try await log.truncate(before: place)
  }
  /// What the log behind it does, when the gate lets it.
  public func verify() async throws(LogError) -> Verification { try await log.verify() }
  /// What the log behind it does, when the gate lets it.
  public var snapshots: any SnapshotStore { log.snapshots }
  /// What the log behind it does, when the gate lets it.
  public var counters: LogCounters { log.counters }
}
