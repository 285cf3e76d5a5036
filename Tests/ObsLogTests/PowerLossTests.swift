import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// What is acknowledged is on disk; what is not on disk is not acknowledged.
@Suite(.timeLimit(.minutes(2)))
struct PowerLossTests {
  private static let seed = testSeed("PowerLossTests")

  @Test func everyAcknowledgedEntryIsThereAfterALossOfPower() async throws {
    try await withFaultyLog { directory, disk, log in
      var writer = Writer()
      var batches: [Batch] = []
      for round in 0..<20 {
        batches.append(writer.next("\(round)", String(repeating: "x", count: round * 500)))
        try await log.append(batches[round])
        #expect(disk.unsyncedBytes == 0)
      }
      disk.powerOff()
      await log.close()
      let again = try sqliteLog(directory, on: disk)
      try await again.open()
      #expect(try await readAll(again).map(\.batch) == batches)
      #expect(try await again.verify().findings == [])
      await again.close()
      // The real files hold it, too.
      let real = try sqliteLog(directory)
      try await real.open()
      #expect(try await readAll(real).map(\.batch) == batches)
      await real.close()
    }
  }

  @Test func eachAppendIsOneSync() async throws {
    try await withFaultyLog { _, disk, log in
      var writer = Writer()
      // The first after opening also writes the header of the write-ahead log.
      try await log.append(writer.next("a"))
      let before = disk.count(.sync)
      for round in 0..<50 { try await log.append(writer.next("\(round)")) }
      #expect(disk.count(.sync) - before == 50)
      await log.close()
    }
  }

  @Test func nothingIsAcknowledgedAfterAFailedSyncAndTheLogRefusesToWrite() async throws {
    try await withFaultyLog { directory, disk, log in
      var writer = Writer()
      let first = writer.next("a")
      let place = try await log.append(first)
      let lost = writer.next("b")
      disk.fail(.sync, .eio, times: 1)
      let error = try #require(try await failure { try await log.append(lost) })
      #expect(error.mayBeIn)
      // The disk works again; the log does not trust it.
      for _ in 0..<3 {
        guard case .failed = try await failure({ try await log.append(lost) }) else {
          Issue.record("the log wrote after a failed fsync")
          return
        }
      }
      guard case .failed = try await failure({ try await log.truncate(before: Place(2)) }) else {
        Issue.record("the log wrote after a failed fsync")
        return
      }
      // Reading goes on, and old numbers are answered.
      #expect(try await readAll(log).map(\.batch) == [first])
      #expect(try await log.append(first) == place)

      try await log.open()
      try await log.append(lost)
      #expect(try await readAll(log).map(\.batch) == [first, lost])
      disk.powerOff()
      await log.close()
      let again = try sqliteLog(directory, on: disk)
      try await again.open()
      #expect(try await readAll(again).map(\.batch) == [first, lost])
      await again.close()
    }
  }

  /// A failed fsync leaves pages in the system's cache that are not on disk: what is read there proves nothing.
  @Test func whatIsReadAfterAFailedSyncAndADeadProcessIsMadeDurableBeforeItCounts() async throws {
    try await withFaultyLog { directory, disk, log in
      var writer = Writer()
      try await log.append(writer.next("a"))
      let doubtful = writer.next("b")
      disk.fail(.sync, .eio, times: 1)
      #expect(try await failure { try await log.append(doubtful) }?.mayBeIn == true)
      disk.kill()
      await log.close()

      let second = try sqliteLog(directory, on: disk)
      try await second.open()
      let place = try await second.append(doubtful)
      disk.powerOff()
      await second.close()

      let third = try sqliteLog(directory, on: disk)
      try await third.open()
      #expect(try await third.append(doubtful) == place)
      #expect(try await readAll(third).map(\.batch.n) == [1, 2])
      await third.close()
    }
  }

  @Test(arguments: 0..<40)
  func powerLossInTheMiddleOfAnAppendLosesNothingAcknowledged(step: Int) async throws {
    let seed = PowerLossTests.seed
    try await withFaultyLog { directory, disk, log in
      disk.seed(step % 4 == 0 ? 0 : seed &+ UInt64(step))
      disk.fail(.anyChange, .powerLoss, after: step * 3)
      var writer = Writer()
      var acknowledged: [Batch] = []
      var next = writer.next(String(repeating: "a", count: 20_000))
      while try await failure({ try await log.append(next) }) == nil {
        acknowledged.append(next)
        next = writer.next(String(repeating: "a", count: 20_000))
      }
      await log.close()
      disk.heal()
      let again = try sqliteLog(directory, on: disk)
      try await again.open()
      let found = try await readAll(again).map(\.batch)
      #expect(found == acknowledged || found == acknowledged + [next])
      try await again.append(next)
      #expect(try await readAll(again).map(\.batch) == acknowledged + [next])
      #expect(try await again.verify().findings == [])
      await again.close()
    }
  }
}
