import ObsLog
import ObsModel
import ObsReplica
import ObsTestSupport
import ObsWire
import Testing

/// A log, and what it comes to.
@Suite("The replica", .timeLimit(.minutes(3)))
@ObsActor
struct ReplicaTests {
  private nonisolated static func patch(_ pointer: String, _ value: JSON) throws -> CommitRecord {
    CommitRecord(try Commit(patch: [["op": "add", "path": .string(pointer), "value": value]]))
  }

  @Test("a commit is durable and applied when it is answered; a second opening has it")
  func survives() async throws {
    try await withDirectory { folder in
      let first = try await Replica.open(SQLiteLog(directory: folder))
      #expect(try await first.commit(Self.patch("/a", 1)) == 1)
      #expect(try await first.commit(Self.patch("/b", 2)) == 2)
      #expect(first.document.json == ["a": 1, "b": 2])
      await first.close()
      let second = try await Replica.open(SQLiteLog(directory: folder))
      #expect(second.document.json == ["a": 1, "b": 2])
      #expect(second.document.seq == 2)
      #expect(second.now.replayed == 2)
      await second.close()
    }
  }

  @Test("a refused commit leaves no trace, now or after a replay")
  func refused() async throws {
    try await withDirectory { folder in
      let test: JSON = ["op": "test", "path": "/a", "value": 2]
      let record = CommitRecord(
        try Commit(patch: [["op": "add", "path": "/b", "value": 1], test]),
        key: CommitRecord.Key("k", fingerprint: "f", seconds: 60)
      )
      let first = try await Replica.open(SQLiteLog(directory: folder))
      _ = try await first.commit(Self.patch("/a", 1))
      await #expect(throws: WireError.self) { try await first.commit(record) }
      #expect(first.document.json == ["a": 1])
      await first.close()
      let second = try await Replica.open(SQLiteLog(directory: folder))
      #expect(second.document.json == ["a": 1])
      #expect(second.document.seq == 1)
      // Its key is free: a refusal is not remembered.
      _ = try await second.commit(Self.patch("/a", 2))
      #expect(try await second.commit(record) == 3)
      await second.close()
    }
  }

  @Test("a key is answered once and for all, across restarts and snapshots, and for one body only")
  func idempotent() async throws {
    try await withDirectory { folder in
      func record(_ value: JSON, _ caller: String? = nil) throws -> CommitRecord {
        var record = try Self.patch("/list/-", value)
        record.key = CommitRecord.Key("k1", fingerprint: "\(value)", seconds: 3600)
        record.caller = caller
        return record
      }
      var replica = try await Replica.open(SQLiteLog(directory: folder))
      _ = try await replica.commit(Self.patch("/list", []))
      #expect(try await replica.commit(record(7)) == 2)
      for hasSnapshot in [false, true, true] {
        #expect(try await replica.commit(record(7)) == 2)
        #expect(replica.document.json == ["list": [7]])
        let error = await #expect(throws: WireError.self) { try await replica.commit(record(8)) }
        #expect(error?.code == .keyReused)
        if hasSnapshot { try await replica.snapshot() }
        await replica.close()
        replica = try await Replica.open(SQLiteLog(directory: folder))
      }
      // Of another caller it is another key.
      #expect(try await replica.commit(record(8, "kim")) == 3)
      // Sent twice at the same time: both are written, one is applied.
      let (same, body) = (replica, try record(9, "jo"))
      async let one = same.commit(body)
      async let two = same.commit(body)
      let answers = try await [one, two]
      #expect(answers == [4, 4])
      #expect(replica.document.json == ["list": [7, 8, 9]])
      await replica.close()
    }
  }

  @Test("what a key was answered is forgotten when its time is over, which is the log's time")
  func forgotten() async throws {
    let log = MemoryLog()
    let replica = try await Replica.open(log)
    var record = try Self.patch("/n", 1)
    record.key = CommitRecord.Key("k", fingerprint: "f", seconds: 0)
    #expect(try await replica.commit(record) == 1)
    #expect(try await replica.commit(record) == 2)
    await replica.close()
  }

  @Test("snapshots hold the state, the log is cut behind them, and a replay gives the same bytes")
  func snapshots() async throws {
    try await withDirectory { folder in
      let replica = try await Replica.open(SQLiteLog(directory: folder))
      for round in 1...4 {
        for number in 0..<50 {
          var record = try Self.patch("/r\(number % 7)", ["round": .int(Int64(round))])
          record.key = CommitRecord.Key("\(round)-\(number)", fingerprint: "f", seconds: 60)
          _ = try await replica.commit(record)
        }
        try await replica.snapshot()
      }
      _ = try await replica.commit(Self.patch("/last", true))
      let (json, seq) = (replica.document.json, replica.document.seq)
      #expect(replica.logInfo.base > .start)
      await replica.close()

      let verification = try await Replica.verify(SQLiteLog(directory: folder))
      #expect(verification.findings == [])
      #expect(verification.comparedSnapshots == 1)
      #expect(verification.seq == seq)

      var told: [ReplicaProgress] = []
      let again = try await Replica.open(SQLiteLog(directory: folder)) { told.append($0) }
      #expect(again.document.json == json)
      #expect(again.document.seq == seq)
      #expect(again.now.replayed == 1)
      #expect(again.now.remembered == 200)
      #expect(told.count >= 2)
      await again.close()
    }
  }

  @Test("a snapshot that is due is written while commits go on")
  func due() async throws {
    let (written, continuation) = AsyncStream.makeStream(of: Snapshot.self)
    var options = ReplicaOptions()
    options.snapshotBytes = 20_000
    options.onSnapshot = { if case .success(let snapshot) = $0 { continuation.yield(snapshot) } }
    let replica = try await Replica.open(MemoryLog(), options)
    var iterator = written.makeAsyncIterator()
    for number in 0..<500 {
      _ = try await replica.commit(Self.patch("/n\(number)", .int(Int64(number))))
    }
    #expect(await iterator.next() != nil)
    await replica.close()
  }

  @Test("a backup makes a new log with the same content and another name")
  func backup() async throws {
    try await withDirectory { folder in
      let replica = try await Replica.open(SQLiteLog(directory: folder + "/one"))
      for number in 0..<100 {
        _ = try await replica.commit(Self.patch("/n\(number)", ["x": .int(Int64(number))]))
      }
      let backup = replica.backup()
      var pieces: [[UInt8]] = []
      while let piece = await backup.next() {
        pieces.append(piece)
        _ = try await replica.commit(Self.patch("/later", 1))
      }
      let id = replica.logInfo.id
      await replica.close()
      var rest = pieces[...]
      let seq = try await Replica.restore(into: SQLiteLog(directory: folder + "/two")) {
        rest.popFirst()
      }
      #expect(seq == 100)
      let restored = try await Replica.open(SQLiteLog(directory: folder + "/two"))
      #expect(restored.document.seq == 100)
      #expect(restored.document.json["n99"] == ["x": 99])
      #expect(restored.document.json["later"] == nil)
      #expect(restored.logInfo.id != id)
      #expect(try await restored.commit(Self.patch("/later", 2)) == 101)
      await restored.close()
      rest = pieces[...]
      await #expect(throws: LogError.self) {
        try await Replica.restore(into: SQLiteLog(directory: folder + "/two")) { rest.popFirst() }
      }
      for broken in [
        pieces.dropLast() + [Array(pieces.last!.dropLast(40))], [Array("nonsense\n".utf8)], [],
      ] {
        var rest = broken[...]
        await #expect(throws: LogError.self) {
          try await Replica.restore(into: SQLiteLog(directory: folder + "/three")) {
            rest.popFirst()
          }
        }
      }
    }
  }

  @Test("commits that wait together share one write to the disk")
  func together() async throws {
    try await withDirectory { folder in
      let log = try SQLiteLog(directory: folder)
      let replica = try await Replica.open(log)
      try await withThrowingTaskGroup(of: Int64.self) { group in
        for number in 0..<512 {
          let record = try Self.patch("/n\(number)", 1)
          group.addTask { try await replica.commit(record) }
        }
        var answered: Set<Int64> = []
        for try await seq in group { answered.insert(seq) }
        #expect(answered == Set(1...512))
      }
      #expect(log.counters.batches < 60)
      await replica.close()
    }
  }

  @Test("every form of a commit is read as it was written")
  func records() async throws {
    let patch: JSON = [
      ["op": "add", "path": "/a~1b/-", "value": [1, 2.0, .null], "ifAbsent": true],
      ["op": "remove", "path": "/x"], ["op": "replace", "path": "/y", "value": "é"],
      ["op": "move", "from": "/p", "path": "/q"], ["op": "copy", "from": "/p", "path": "/r"],
      ["op": "test", "path": "", "value": [:]],
    ]
    var commit = try Commit(patch: patch, ifSeq: 41)
    commit.condition = CommitCondition(pointer: try JSONPointer("/a"), tags: ["\"x\"", "*"])
    let records = [
      CommitRecord(commit, caller: "kim", key: .init("k", fingerprint: "f", seconds: 9)),
      CommitRecord(try Commit(merge: ["a": .null], at: JSONPointer("/m"))),
      CommitRecord(try Commit(merge: 7)),
    ]
    for record in records {
      let again = try CommitRecord(reading: record.written)
      #expect(again.written == record.written)
      #expect(again.key == record.key && again.caller == record.caller)
      #expect(again.limits.depth == 64)
    }
  }
}
