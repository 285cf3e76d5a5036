import FoundationEssentials
import ObsLog
import ObsModel
import ObsReplica
import ObsTestSupport
import ObsWire
import Synchronization
import Testing

/// Disks that fail under a replica: nothing is answered that is not on disk, reading goes on, and commits are taken again.
@Suite("The replica on a disk that fails", .timeLimit(.minutes(3)))
@ObsActor
struct FaultTests {
  private nonisolated static func log(_ directory: String, _ disk: FaultDisk) throws -> SQLiteLog {
    var options = SQLiteLog.Options()
    options.vfs = disk.vfs
    return try SQLiteLog(directory: directory, options: options)
  }

  private nonisolated static func patch(
    _ pointer: String,
    _ value: JSON,
    key: String? = nil
  ) throws -> CommitRecord {
    CommitRecord(
      try Commit(patch: [["op": "add", "path": .string(pointer), "value": value]]),
      key: key.map { CommitRecord.Key($0, fingerprint: "f", seconds: 3600) }
    )
  }

  /// Opens a replica whose troubles can be waited for; an empty text says that one is over.
  private static func open(_ log: SQLiteLog) async throws -> (Replica, Mailbox<String>) {
    let troubles = Mailbox<String>()
    var options = ReplicaOptions()
    options.onTrouble = { troubles.post($0 ?? "") }
    return (try await Replica.open(log, options), troubles)
  }

  @Test(
    "an fsync or a write that fails: not answered as done, commits refused, reading goes on, and then commits again",
    arguments: [
      (FaultDisk.Operation.sync, FaultDisk.Failure.eio), (.write, .eio), (.write, .shortWrite),
    ]
  )
  func failing(operation: FaultDisk.Operation, failure: FaultDisk.Failure) async throws {
    try await withDirectory { directory in
      let disk = FaultDisk()
      let (replica, troubles) = try await Self.open(Self.log(directory, disk))
      #expect(try await replica.commit(Self.patch("/list", [])) == 1)
      disk.fail(operation, failure)
      let lost = try Self.patch("/list/-", 1, key: "k")
      let error = await #expect(throws: WireError.self) { try await replica.commit(lost) }
      #expect(error?.code == .unavailable)
      #expect(error?.extensions["outcome"] == "unknown")
      #expect(await troubles.next() != "")
      #expect(replica.now.trouble != nil)
      // Refused at once, without a try that could hang.
      let refused = await #expect(throws: WireError.self) {
        try await replica.commit(Self.patch("/list/-", 2))
      }
      #expect(refused?.extensions["outcome"] == "not-applied")
      #expect(replica.document.json["list"] != nil)

      disk.heal()
      while await troubles.next() != "" {}
      #expect(replica.now.trouble == nil)
      // Sent again with its key: once, whether or not it was in.
      let seq = try await replica.commit(lost)
      #expect(try await replica.commit(lost) == seq)
      #expect(replica.document.json == ["list": [1]])
      await replica.close()
      let again = try await Replica.open(Self.log(directory, disk))
      #expect(again.document.json == ["list": [1]])
      await again.close()
    }
  }

  @Test(
    "a full disk: the commit is refused and was not applied; with room again, commits are taken"
  )
  func full() async throws {
    try await withDirectory { directory in
      let disk = FaultDisk()
      let (replica, troubles) = try await Self.open(Self.log(directory, disk))
      _ = try await replica.commit(Self.patch("/a", 1))
      disk.fail(.write, .noSpace)
      let error = await #expect(throws: WireError.self) {
        try await replica.commit(Self.patch("/b", 2))
      }
      #expect(error?.code == .unavailable)
      #expect(error?.extensions["outcome"] == "not-applied")
      #expect(error?.message.contains("no room") == true)
      #expect(await troubles.next() != "")
      disk.heal()
      while await troubles.next() != "" {}
      #expect(replica.document.json == ["a": 1])
      _ = try await replica.commit(Self.patch("/b", 2))
      #expect(replica.document.json == ["a": 1, "b": 2])
      await replica.close()
    }
  }

  @Test("power that is lost while commits come: what was answered is there once, in its order")
  func powerLoss() async throws {
    var generator = SeededGenerator(seed: testSeed())
    for _ in 0..<10 {
      try await withDirectory { directory in
        let disk = FaultDisk()
        var answered = -1
        let (replica, _) = try await Self.open(Self.log(directory, disk))
        _ = try await replica.commit(Self.patch("/list", []))
        disk.seed(generator.next())
        disk.fail(.anyChange, .powerLoss, after: Int.random(in: 0..<60, using: &generator))
        for number in 0..<100 {
          guard (try? await replica.commit(Self.patch("/list/-", .int(Int64(number))))) != nil
          else { break }
          answered = number
          if number % 10 == 9 { _ = try? await replica.snapshot() }
        }
        await replica.close()
        disk.heal()
        let again = try await Replica.open(Self.log(directory, disk))
        let list = try #require(again.document.json["list"]?.arrayValue)
        // One more may be in: it was on its way.
        try #require(
          list.count == answered + 1 || list.count == answered + 2,
          "\(answered) \(list)"
        )
        #expect(list == (0..<list.count).map { .int(Int64($0)) })
        await again.close()
        let verification = try await Replica.verify(Self.log(directory, disk))
        #expect(verification.findings == [])
      }
    }
  }

  @Test(
    "a clock that goes back takes no time from the log: keys are remembered and forgotten all the same"
  )
  func clock() async throws {
    let log = MemoryLog()
    let replica = try await Replica.open(log)
    _ = try await replica.commit(Self.patch("/n", 1, key: "k"))
    // An entry of another writer, whose clock is a day behind, and one whose clock is a day ahead.
    let record = try Self.patch("/n", 2)
    let now = try await log.info().time
    for (n, time) in [(UInt64(1), now - 86_400_000), (2, now), (3, now + 86_400_000)] {
      let bytes = [UInt8](repeating: 0, count: 8) + record.written
      let batch = Batch(writer: Self.other, n: n, time: time, format: 1, commits: [bytes])
      try await log.append(batch)
      if n == 2 { #expect(try await replica.commit(Self.patch("/n", 1, key: "k")) == 1) }
    }
    while replica.document.seq < 4 { await Task.yield() }
    // Its hour is over by the log's time.
    #expect(try await replica.commit(Self.patch("/n", 1, key: "k")) == 5)
    await replica.close()
  }

  private nonisolated static let other = UUID()
}
