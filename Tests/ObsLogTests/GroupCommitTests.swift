import Foundation
import ObsLog
import ObsTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GroupCommitTests {
  typealias Outcome = Result<CommitPlace, LogError>

  /// A group commit in front of a gated log, and what its commits heard.
  private func withGroup(
    limits: GroupCommit.Limits = .init(),
    clock: (@Sendable () -> Int64)? = nil,
    _ body: (GatedLog, GroupCommit, Mailbox<(Int, Outcome)>) async throws -> Void
  ) async throws {
    let log = GatedLog()
    let info = try await log.open()
    let group = GroupCommit(log: log, info: info, format: 3, limits: limits, clock: clock)
    try await body(log, group, Mailbox())
    log.verdicts.finish()
    await group.finish()
  }

  private func submit(
    _ numbers: some Sequence<Int>,
    to group: GroupCommit,
    _ heard: Mailbox<(Int, Outcome)>,
    bytes: Int = 4
  ) throws {
    for number in numbers {
      try group.submit([UInt8](repeating: UInt8(number & 255), count: bytes)) {
        heard.post((number, $0))
      }
    }
  }

  private func success(_ heard: (Int, Outcome)?) throws -> (Int, CommitPlace) {
    let (number, outcome) = try #require(heard)
    return (number, try outcome.get())
  }

  @Test func whatWaitsWhileABatchIsWrittenIsTheNextBatch() async throws {
    try await withGroup { log, group, heard in
      try submit(0..<1, to: group, heard)
      let first = try #require(await log.arrived.next())
      #expect(first.commits.count == 1 && first.n == 1 && first.format == 3)
      try submit(1..<100, to: group, heard)
      log.verdicts.post(.write)
      let second = try #require(await log.arrived.next())
      #expect(second.commits.count == 99 && second.n == 2 && second.writer == first.writer)
      #expect(second.commits.map { $0[0] } == (1..<100).map(UInt8.init))
      log.verdicts.post(.write)
      // Everybody hears in the order of submission, with the place of the commit.
      for expected in 0..<100 {
        let (number, place) = try success(await heard.next())
        #expect(number == expected)
        #expect(place.n == (expected == 0 ? 1 : 2))
        #expect(place.index == (expected == 0 ? 0 : expected - 1))
      }
      #expect(group.counters.batches == 2 && group.counters.commits == 100)
      #expect(group.counters.bytes == 400)
    }
  }

  @Test func aBatchClosesAtItsCommitsAndItsBytes() async throws {
    try await withGroup { log, group, heard in
      try submit(0..<1, to: group, heard)
      _ = await log.arrived.next()
      try submit(0..<1100, to: group, heard)
      try submit(0..<3, to: group, heard, bytes: 400_000)
      // Larger than a batch, it goes alone.
      try submit(0..<1, to: group, heard, bytes: 3 << 20)
      var sizes: [Int] = []
      for _ in 0..<5 {
        log.verdicts.post(.write)
        sizes.append(try #require(await log.arrived.next()).commits.count)
      }
      log.verdicts.post(.write)
      #expect(sizes == [512, 512, 78, 1, 1])
    }
  }

  @Test func moreThanMayWaitIsBusyAndRoomIsMadeByAnswers() async throws {
    var limits = GroupCommit.Limits()
    limits.queuedCommits = 10
    limits.queuedBytes = 1000
    try await withGroup(limits: limits) { log, group, heard in
      // One batch on its way, the other commits wait.
      try submit(0..<1, to: group, heard)
      _ = await log.arrived.next()
      try submit(1..<10, to: group, heard)
      let busy = LogError.busy(retryAfter: .milliseconds(100))
      #expect(throws: busy) { try submit(10..<11, to: group, heard) }
      #expect(group.counters.refused == 1)
      log.verdicts.post(.write)
      log.verdicts.post(.write)
      for expected in 0..<10 { #expect(try success(await heard.next()).0 == expected) }
      _ = await log.arrived.next()
      try submit(0..<1, to: group, heard, bytes: 900)
      _ = await log.arrived.next()
      #expect(throws: busy) { try submit(1..<2, to: group, heard, bytes: 101) }
      try submit(1..<2, to: group, heard, bytes: 100)
      log.verdicts.post(.write)
      log.verdicts.post(.write)
      for _ in 0..<2 { _ = try success(await heard.next()) }
      // One larger than all that may wait is taken when nothing waits.
      try submit(0..<1, to: group, heard, bytes: 5000)
      log.verdicts.post(.write)
      _ = try success(await heard.next())
    }
  }

  @Test func aCommitLargerThanTheLogTakesIsRefusedAtOnce() async throws {
    try await withGroup { log, group, heard in
      let error = LogError.tooLarge(bytes: (1 << 22) + 1, limit: 1 << 22)
      #expect(throws: error) { try submit(0..<1, to: group, heard, bytes: (1 << 22) - 7) }
      try submit(0..<1, to: group, heard, bytes: (1 << 22) - 8)
      log.verdicts.post(.write)
      _ = try success(await heard.next())
    }
  }

  @Test func aRefusedBatchIsHeardByAllInItAndTheNextTakesItsNumber() async throws {
    try await withGroup { log, group, heard in
      try submit(0..<3, to: group, heard)
      log.verdicts.post(.fail(.full("x")))
      log.verdicts.post(.fail(.full("x")))
      for expected in 0..<3 {
        let (number, outcome) = try #require(await heard.next())
        #expect(number == expected && outcome == .failure(.full("x")))
      }
      while log.arrived.unread.count > 0 { _ = await log.arrived.next() }
      // What was submitted in one or in two batches: the number is still the first.
      while true {
        try submit(3..<4, to: group, heard)
        log.verdicts.post(.write)
        if let (_, outcome) = await heard.next(), case .success(let place) = outcome {
          #expect(place.n == 1 && place.place == Place(1))
          break
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func aBatchInDoubtIsSentAgainBeforeAnyOther(isIn: Bool) async throws {
    try await withGroup { log, group, heard in
      let doubt = LogError.doubtful("x")
      try submit(0..<1, to: group, heard)
      let first = try #require(await log.arrived.next())
      try submit(1..<3, to: group, heard)
      log.verdicts.post(isIn ? .writeAndFail(doubt) : .fail(doubt))
      let (_, outcome) = try #require(await heard.next())
      #expect(outcome == .failure(doubt))
      // The same again, before what waits; the log is still away, so what waits hears that.
      #expect(await log.arrived.next() == first)
      log.verdicts.post(.fail(.unavailable(retryAfter: .seconds(1), "y")))
      for _ in 1..<3 {
        let (_, outcome) = try #require(await heard.next())
        #expect(outcome == .failure(.unavailable(retryAfter: .seconds(1), "y")))
      }
      // It comes back.
      try submit(3..<4, to: group, heard)
      #expect(await log.arrived.next() == first)
      log.verdicts.post(.write)
      let next = try #require(await log.arrived.next())
      #expect(next.n == 2)
      log.verdicts.post(.write)
      let (number, place) = try success(await heard.next())
      #expect(number == 3 && place.n == 2 && place.place == Place(2))
      // Applied once, whether the first try was written or not.
      let entries = try await read(
        log,
        after: .start,
        chain: try await log.info().baseChain,
        count: 2
      )
      #expect(entries.map(\.batch) == [first, next])
    }
  }

  @Test func aWriterWhoseNumbersAreRefusedGoesOnAsAnother() async throws {
    try await withGroup { log, group, heard in
      let before = group.writer
      try submit(0..<1, to: group, heard)
      log.verdicts.post(.fail(.outOfOrder(expected: 1)))
      _ = await heard.next()
      try submit(1..<2, to: group, heard)
      log.verdicts.post(.write)
      let (_, place) = try success(await heard.next())
      #expect(place.n == 1 && group.writer != before)
    }
  }

  @Test func batchesCarryTheTimeOfTheClock() async throws {
    let time = Locked(Int64(1000))
    try await withGroup(clock: { time.withLock { $0 } }) { log, group, heard in
      try submit(0..<1, to: group, heard)
      #expect(await log.arrived.next()?.time == 1000)
      time.withLock { $0 = 400 }
      log.verdicts.post(.write)
      _ = await heard.next()
      try submit(0..<1, to: group, heard)
      // Its clock went back: log time does not, but that is the log's to say.
      #expect(await log.arrived.next()?.time == 400)
      log.verdicts.post(.write)
      _ = await heard.next()
      #expect(try await log.info().time == 1000)
    }
  }

  @Test func finishWaitsForAllAndAdmitsNothingMore() async throws {
    let log = MemoryLog()
    let group = GroupCommit(log: log, info: try await log.open(), format: 1)
    let heard = Mailbox<(Int, Outcome)>()
    try submit(0..<2000, to: group, heard)
    await group.finish()
    #expect(heard.unread.count == 2000)
    #expect(throws: LogError.closed) { try submit(0..<1, to: group, heard) }
    await #expect(throws: LogError.closed) { try await group.commit([1]) }
  }

  @Test(arguments: Engine.allCases)
  func manyCommitsAtOnceShareBatchesAndEachIsInOnce(engine: Engine) async throws {
    try await withLog(engine) { log in
      let group = GroupCommit(log: log, info: try await log.info(), format: 1)
      let places = try await withThrowingTaskGroup(of: [(String, CommitPlace)].self) { tasks in
        for client in 0..<64 {
          tasks.addTask {
            var places: [(String, CommitPlace)] = []
            for round in 0..<20 {
              let text = "\(client).\(round)"
              places.append((text, try await group.commit(Array(text.utf8))))
            }
            return places
          }
        }
        return try await tasks.reduce(into: []) { $0 += $1 }
      }
      let entries = try await readAll(log)
      let bodies = entries.flatMap { $0.batch.commits.map { String(decoding: $0, as: UTF8.self) } }
      #expect(bodies.count == 1280 && Set(bodies) == Set(places.map(\.0)))
      let byPlace = Dictionary(uniqueKeysWithValues: entries.map { ($0.place, $0.batch) })
      for (text, place) in places {
        #expect(byPlace[place.place]?.commits[place.index] == Array(text.utf8))
        #expect(byPlace[place.place]?.n == place.n)
      }
      #expect(group.counters.batches == entries.count && group.counters.commits == 1280)
      #expect(entries.count < 640)
    }
  }

  @Test func aLogThatClosedForWritingIsHeardByEverybodyAndNothingIsAcknowledged() async throws {
    try await withDirectory { directory in
      let disk = FaultDisk()
      let log = try sqliteLog(directory, on: disk)
      let group = GroupCommit(log: log, info: try await log.open(), format: 1)
      _ = try await group.commit([1])
      disk.fail(.sync, .eio, times: 1)
      #expect(try await failure { _ = try await group.commit([2]) }?.mayBeIn == true)
      guard case .failed = try await failure({ _ = try await group.commit([3]) }) else {
        Issue.record("a commit went past one in doubt")
        return
      }
      try await log.open()
      let place = try await group.commit([4])
      #expect(place.n == 3)
      #expect(try await readAll(log).map(\.batch.commits) == [[[1]], [[2]], [[4]]])
      await group.finish()
      await log.close()
    }
  }
}
