import Synchronization

/// The counters of a log, read from any thread.
final class LogCounts: Sendable {
  private let counters = Mutex(LogCounters())

  var read: LogCounters { counters.withLock { $0 } }

  func count(_ batch: Batch, bytes: Int, flush: UInt64) {
    counters.withLock { $0.count(batch, bytes: bytes, flush: flush) }
  }
}

extension Verification {
  mutating func note(_ finding: LogError) {
    if findings.count < Verification.findingsAtMost { findings.append(finding) }
  }

  /// Reads every snapshot of a store.
  mutating func check(_ store: some SnapshotStore) async {
    do throws(LogError) {
      for snapshot in try await store.list() {
        snapshots += 1
        do throws(LogError) {
          var reader = store.read(snapshot)
          while try await reader.next() != nil {}
        } catch {
          note(error)
        }
      }
    } catch {
      note(error)
    }
  }
}
