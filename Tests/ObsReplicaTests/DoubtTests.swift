import FoundationEssentials
import ObsLog
import ObsModel
import ObsReplica
import ObsTestSupport
import ObsWire
import Testing

/// Commits of which nobody knows at first whether they are in the log, and entries that cannot be applied.
@Suite("The replica in doubt", .timeLimit(.minutes(2)))
@ObsActor
struct DoubtTests {
  private nonisolated static func append(_ value: JSON, key: String) throws -> CommitRecord {
    CommitRecord(
      try Commit(patch: [["op": "add", "path": "/list/-", "value": value]]),
      key: CommitRecord.Key(key, fingerprint: "f", seconds: 3600)
    )
  }

  /// Opens a replica with `{"list":[]}`.
  private static func open(
    _ log: GatedLog,
    _ change: (inout ReplicaOptions) -> Void = { _ in }
  ) async throws -> (Replica, Mailbox<String>) {
    let troubles = Mailbox<String>()
    var options = ReplicaOptions()
    options.onTrouble = { troubles.post($0 ?? "") }
    change(&options)
    let replica = try await Replica.open(log, options)
    log.verdicts.post(.write)
    _ = try await replica.commit(CommitRecord(try Commit(merge: ["list": []])))
    return (replica, troubles)
  }

  private static func outcome(_ replica: Replica, _ record: CommitRecord) async -> (
    seq: Int64?, outcome: JSON?
  ) {
    do throws(WireError) { return (try await replica.commit(record), nil) } catch {
      return (nil, error.extensions["outcome"])
    }
  }

  @Test(
    "a commit in doubt that is in the log, or is not: sent again with its key, it is applied once",
    arguments: [true, false]
  )
  func doubtful(isIn: Bool) async throws {
    let log = GatedLog()
    let (replica, troubles) = try await Self.open(log)
    let record = try Self.append(1, key: "k")
    let doubt = LogError.doubtful("the answer was lost")
    log.verdicts.post(isIn ? .writeAndFail(doubt) : .fail(doubt))
    let first = await Self.outcome(replica, record)
    // The entry may be read before the failure is heard of: then it is answered as what it is.
    #expect(first.outcome == "unknown" || isIn && first.seq == 2)
    #expect(await troubles.next() != "")
    // The batch again, and the probe behind it.
    for _ in 0..<2 { log.verdicts.post(.write) }
    while await troubles.next() != "" {}
    while replica.document.seq < 2 { await Task.yield() }
    #expect(await Self.outcome(replica, record).seq == 2)
    #expect(replica.document.json == ["list": [1]])
    #expect(replica.now.idempotentHits == 1)
    await replica.close()
  }

  @Test("a commit that takes too long is answered as unknown, and applied when the log has it")
  func late() async throws {
    let log = GatedLog()
    let (replica, _) = try await Self.open(log) { $0.commitTimeout = .zero }
    let record = try Self.append(1, key: "k")
    #expect(await Self.outcome(replica, record).outcome == "unknown")
    // Nobody has written it so far.
    #expect(replica.document.json == ["list": []])
    log.verdicts.post(.write)
    while replica.document.seq < 2 { await Task.yield() }
    #expect(await Self.outcome(replica, record).seq == 2)
    #expect(replica.document.json == ["list": [1]])
    await replica.close()
  }

  @Test("sent again while the first is on its way: both are in the log, one is applied")
  func twice() async throws {
    let log = GatedLog()
    let (replica, _) = try await Self.open(log) { $0.commitTimeout = .zero }
    let record = try Self.append(1, key: "k")
    for _ in 0..<2 { #expect(await Self.outcome(replica, record).outcome == "unknown") }
    for _ in 0..<2 { log.verdicts.post(.write) }
    while replica.now.applied < 3 { await Task.yield() }
    #expect(replica.document.json == ["list": [1]])
    #expect(replica.document.seq == 2)
    await replica.close()
  }

  @Test(
    "an entry of a newer version, or one that is no commit, is not applied, nor what comes behind it; commits are refused",
    arguments: [(UInt16(2), true), (1, false)]
  )
  func unreadable(format: UInt16, isCommit: Bool) async throws {
    let log = MemoryLog()
    let troubles = Mailbox<String>()
    var options = ReplicaOptions()
    options.onTrouble = { troubles.post($0 ?? "") }
    let replica = try await Replica.open(log, options)
    _ = try await replica.commit(CommitRecord(try Commit(merge: ["list": []])))
    // Of another writer: a good commit first, in the same entry.
    let ticket = [UInt8](repeating: 0, count: 8)
    let good = ticket + (try Self.append(1, key: "a")).written
    let other = isCommit ? good : ticket + Array("no commit".utf8)
    let writer = UUID()
    let time = try await log.info().time
    for (n, form) in [(UInt64(1), format), (2, 1)] {
      let batch = Batch(writer: writer, n: n, time: time, format: form, commits: [good, other])
      try await log.append(batch)
    }
    #expect(await troubles.next() != "")
    #expect(try await Self.outcome(replica, Self.append(2, key: "b")).outcome == "not-applied")
    #expect(replica.document.json == ["list": []])
    #expect(replica.now.trouble != nil)
    await replica.close()
  }
}
