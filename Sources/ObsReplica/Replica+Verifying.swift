public import ObsLog
import ObsModel

/// What a check of a log and of what it comes to has found.
public struct ReplicaVerification: Sendable {
  /// What the log itself has found.
  public var log: Verification
  /// Snapshots whose state was made again by a replay, and is the same.
  public var comparedSnapshots = 0
  /// The place of the last commit.
  public var seq: Int64 = 0
  /// What is wrong; empty when all is well.
  public var findings: [LogError]

  init(_ log: Verification) {
    self.log = log
    findings = log.findings
  }
}

extension Replica {
  /// Checks everything: pages, chain and places of the log, and that each snapshot is what a replay from the one before gives.
  ///
  /// - Throws: why the log cannot be opened.
  public static func verify(
    _ log: any CommitLog,
    progress: (ReplicaProgress) -> Void = { _ in }
  ) async throws(LogError) -> ReplicaVerification {
    do throws(LogError) {
      let info = try await log.open()
      var result = ReplicaVerification(try await log.verify())
      if result.findings.isEmpty {
        do throws(LogError) {
          try await compare(log, info, &result, progress)
        } catch { result.findings.append(error) }
      }
      await log.close()
      return result
    } catch {
      await log.close()
      throw error
    }
  }

  private static func compare(
    _ log: any CommitLog,
    _ info: LogInfo,
    _ result: inout ReplicaVerification,
    _ progress: (ReplicaProgress) -> Void
  ) async throws(LogError) {
    var snapshots = try await log.snapshots.list()[...]
    let state: ReplicaState
    if info.base == .start, snapshots.first?.label.place != .start {
      do throws(CommitError) { state = try ReplicaState(at: .start, info.baseChain) } catch {
        throw .io("\(error)")
      }
    } else {
      guard let oldest = snapshots.popFirst() else {
        throw .damaged(at: info.base, "the log begins here, but no snapshot holds what was before")
      }
      state = try await load(log, oldest, progress)
    }
    for snapshot in snapshots {
      try await replay(log, into: state, to: snapshot.label.place, progress)
      let lines = state.lines()
      defer { lines.end() }
      let hasher = RunningHash(snapshot.label)
      while let line = lines.next() { hasher.update(line) }
      guard hasher.finish() == snapshot.hash else {
        throw .damaged(
          at: snapshot.label.place,
          "the snapshot is not what a replay of the log gives"
        )
      }
      result.comparedSnapshots += 1
    }
    try await replay(log, into: state, to: info.last, progress)
    result.seq = state.document.seq
  }
}
