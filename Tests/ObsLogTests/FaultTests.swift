import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// Disks that are full, fail or may only be read.
@Suite(.timeLimit(.minutes(1)))
struct FaultTests {
  @Test func aFullDiskRefusesTheAppendAndTheLogGoesOnWhenThereIsRoom() async throws {
    try await withFaultyLog { directory, disk, log in
      var writer = Writer()
      let first = writer.next("a")
      try await log.append(first)
      let second = writer.next(String(repeating: "b", count: 50_000))
      for after in 0..<6 {
        disk.fail(.write, .noSpace, after: after)
        guard case .full(let text) = try await failure({ try await log.append(second) }) else {
          Issue.record("not full")
          return
        }
        #expect(text.contains("log.sqlite"))
        #expect(try await readAll(log).map(\.batch) == [first])
        disk.heal()
      }
      try await log.append(second)
      disk.powerOff()
      await log.close()
      let again = try sqliteLog(directory, on: disk)
      try await again.open()
      #expect(try await readAll(again).map(\.batch) == [first, second])
      #expect(try await again.verify().findings == [])
      await again.close()
    }
  }

  @Test(arguments: [FaultDisk.Failure.eio, .shortWrite])
  func aFailedWriteClosesTheLogForWriting(how: FaultDisk.Failure) async throws {
    try await withFaultyLog { _, disk, log in
      var writer = Writer()
      let first = writer.next("a")
      try await log.append(first)
      let second = writer.next("b")
      disk.fail(.write, how, after: 1, times: 1)
      #expect(try await failure { try await log.append(second) } != nil)
      guard case .failed(let text) = try await failure({ try await log.append(second) }) else {
        Issue.record("the log wrote after a failed write")
        return
      }
      #expect(text.contains("place 2"))
      try await log.open()
      let found = try await readAll(log).map(\.batch)
      #expect(found == [first] || found == [first, second])
      try await log.append(second)
      #expect(try await readAll(log).map(\.batch) == [first, second])
      await log.close()
    }
  }

  @Test func aFailedCheckpointLosesNothingAndClosesTheLogForWriting() async throws {
    try await withFaultyLog { directory, disk, log in
      var writer = Writer()
      // The first append also syncs the header of the write-ahead log.
      var acknowledged = [writer.next("a")]
      try await log.append(acknowledged[0])
      // Only a checkpoint syncs more: the write-ahead log again, and then the file.
      var failed: LogError?
      while acknowledged.count < 2000 {
        let batch = writer.next(String(repeating: "a", count: 10_000))
        let before = disk.count(.sync)
        disk.fail(.sync, .eio, after: 1, times: 1)
        failed = try await failure { try await log.append(batch) }
        // The checkpoint runs on the log's thread behind the append: wait for it there.
        _ = try await log.info()
        if failed != nil { break }
        acknowledged.append(batch)
        if disk.count(.sync) > before + 1 {
          disk.heal()
          failed = try await failure { try await log.append(writer.next("x")) }
          break
        }
        disk.heal()
      }
      guard case .failed = failed else {
        Issue.record("\(String(describing: failed)) after \(acknowledged.count)")
        return
      }
      disk.powerOff()
      await log.close()
      disk.heal()
      let again = try sqliteLog(directory, on: disk)
      try await again.open()
      #expect(try await readAll(again).map(\.batch) == acknowledged)
      await again.close()
    }
  }

  @Test func aLogThatMayOnlyBeReadIsRefusedWithoutAChange() async throws {
    try await withFaultyLog { _, disk, log in
      await log.close()
      disk.fail(.openForWriting, .eio)
      guard case .readOnly(let text) = try await failure({ try await log.open() }) else {
        Issue.record("a file that may only be read was opened")
        return
      }
      #expect(text.contains("log.sqlite"))
      disk.heal()
      try await log.open()
      await log.close()
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func aDirectoryThatMayOnlyBeReadIsRefused() async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      await log.close()
      for file in ["lock", "acked", "log.sqlite", "snapshots.sqlite"] {
        let path = directory + "/data/" + file
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
      }
      guard case .readOnly = try await failure({ try await log.open() }) else {
        Issue.record("a log that may only be read was opened")
        return
      }
    }
  }

  @Test func aSnapshotOnAFullDiskLeavesNothingAndTheLogGoesOn() async throws {
    try await withFaultyLog { _, disk, log in
      let label = SnapshotLabel(place: Place(1), chain: Hash.of([1]), digest: [], format: 1)
      let chunks = Array(repeating: commit(bytes: 1 << 20), count: 3)
      disk.fail(.write, .noSpace, after: 400)
      guard
        case .full = try await failure({
          _ = try await log.snapshots.put(label, chunks: source(chunks))
        })
      else {
        Issue.record("not full")
        return
      }
      disk.heal()
      #expect(try await log.snapshots.list() == [])
      let whole = try await log.snapshots.put(label, chunks: source(chunks))
      #expect(try await content(log.snapshots, whole).count == 3 << 20)
      var writer = Writer()
      try await log.append(writer.next("a"))
      #expect(try await log.verify().findings == [])
      await log.close()
    }
  }
}
