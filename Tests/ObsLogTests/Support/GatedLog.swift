import ObsLog
import ObsTestSupport
import Synchronization

/// A log whose appends wait for the test, and fail when it says so.
final class GatedLog: CommitLog {
  /// What happens to an append.
  enum Verdict: Sendable {
    case write
    /// It is written, and the answer lost.
    case writeAndFail(LogError)
    case fail(LogError)
  }

  /// Batches that came to be appended; each waits for a verdict.
  let arrived = Mailbox<Batch>()
  let verdicts = Mailbox<Verdict>()

  private let log: MemoryLog

  init(largestMessage: Int = 1 << 22) { log = MemoryLog(largestMessage: largestMessage) }

  func append(_ batch: Batch) async throws(LogError) -> Place {
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

  func open() async throws(LogError) -> LogInfo { try await log.open() }
  func close() async { await log.close() }
  func info() async throws(LogError) -> LogInfo { try await log.info() }
  func follow(after place: Place, chain: Hash) async throws(LogError) -> Entries {
    try await log.follow(after: place, chain: chain)
  }
  func check(_ place: Place, chain: Hash) async throws(LogError) {
    try await log.check(place, chain: chain)
  }
  func truncate(before place: Place) async throws(LogError) {
    try await log.truncate(before: place)
  }
  func verify() async throws(LogError) -> Verification { try await log.verify() }
  var snapshots: any SnapshotStore { log.snapshots }
  var counters: LogCounters { log.counters }
}
