import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// What every log must do, whatever carries it.
@Suite(.timeLimit(.minutes(2)))
struct ConformanceTests {
  @Test(arguments: Engine.allCases)
  func aNewLogIsEmptyAndBeginsAtTheHashOfItsID(engine: Engine) async throws {
    try await withLog(engine) { log in
      let info = try await log.info()
      #expect(info.isEmpty)
      #expect(info.base == .start && info.last == .start && info.time == 0)
      #expect(info.baseChain == Chain.genesis(log: info.id) && info.chain == info.baseChain)
    }
  }

  @Test(arguments: Engine.allCases)
  func entriesComeInTheOrderOfTheirPlacesAndEachProvesTheOneBefore(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writers = [Writer(), Writer(), Writer()]
      var appended: [(Place, Batch)] = []
      for round in 0..<60 {
        let batch = writers[round % 3].next("a\(round)", "", "b\(round)")
        appended.append((try await log.append(batch), batch))
      }
      #expect(zip(appended, appended.dropFirst()).allSatisfy { $0.0 < $1.0 })

      let entries = try await readAll(log)
      #expect(entries.map(\.place) == appended.map(\.0))
      #expect(entries.map(\.batch) == appended.map(\.1))
      let info = try await log.info()
      var chain = Chain.genesis(log: info.id)
      for entry in entries {
        chain = Chain.next(chain, entry.batch)
        #expect(entry.chain == chain)
      }
      #expect(info.chain == chain && info.last == entries.last?.place)
      #expect(try await log.verify().findings == [])
      #expect(log.counters.batches == 60 && log.counters.commits == 180)
    }
  }

  @Test(arguments: Engine.allCases)
  func aBatchThatIsInIsAnsweredWithItsOldPlace(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writer = Writer()
      let batches = [writer.next("a"), writer.next("b"), writer.next("c")]
      var places: [Place] = []
      for batch in batches { places.append(try await log.append(batch)) }
      for (batch, place) in zip(batches, places) {
        #expect(try await log.append(batch) == place)
      }
      #expect(try await readAll(log).map(\.batch) == batches)
    }
  }

  @Test(arguments: Engine.allCases)
  func aBatchAfterAMissingOneAndOtherBytesUnderAUsedNumberAreRefused(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writer = Writer()
      let first = writer.next("a")
      try await log.append(first)
      var other = first
      other.commits = [Array("x".utf8)]
      #expect(
        try await failure { _ = try await log.append(other) } == .conflict(writer: writer.id, n: 1)
      )
      writer.n = 2
      #expect(
        try await failure { _ = try await log.append(writer.next("c")) }
          == .outOfOrder(expected: 2)
      )
      var zero = first
      zero.n = 0
      #expect(
        try await failure { _ = try await log.append(zero) } == .outOfOrder(expected: 2)
      )
      var stranger = Writer()
      stranger.n = 4
      #expect(
        try await failure { _ = try await log.append(stranger.next("a")) }
          == .outOfOrder(expected: 1)
      )
      #expect(try await readAll(log).map(\.batch) == [first])
    }
  }

  @Test(arguments: Engine.allCases)
  func twoWritersRacingGetOneOrderWithoutLossOrDoubles(engine: Engine) async throws {
    try await withLog(engine) { log in
      let places = try await withThrowingTaskGroup(of: [Place].self) { group in
        for _ in 0..<2 {
          group.addTask {
            var writer = Writer()
            var places: [Place] = []
            for round in 0..<200 {
              let batch = writer.next("\(round)")
              places.append(try await log.append(batch))
              if round % 10 == 0 { #expect(try await log.append(batch) == places.last) }
            }
            return places
          }
        }
        return try await group.reduce(into: [[Place]]()) { $0.append($1) }
      }
      #expect(Set(places.joined()).count == 400)
      let entries = try await readAll(log)
      #expect(entries.map(\.place) == places.joined().sorted())
      for (_, mine) in Dictionary(grouping: entries, by: \.batch.writer) {
        #expect(mine.map(\.batch.n) == Array(1...200))
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func aBatchLargerThanTheLargestMessageIsRefused(engine: Engine) async throws {
    try await withLog(engine, largestMessage: 1000) { log in
      var writer = Writer()
      let fitting = writer.next([commit(bytes: 992)])
      #expect(Chain.bodyCount(fitting) == 1000)
      var large = fitting
      large.commits = [commit(bytes: 993)]
      let error = try await failure { _ = try await log.append(large) }
      #expect(error == .tooLarge(bytes: 1001, limit: 1000))
      try await log.append(fitting)
      #expect(try await readAll(log).count == 1)
    }
  }

  @Test(arguments: Engine.allCases)
  func aFollowerGetsEverythingInOrderAcrossAppends(engine: Engine) async throws {
    try await withLog(engine) { log in
      let info = try await log.info()
      let seen = Mailbox<Entry>()
      let following = Task {
        for try await entries in try await log.follow(after: info.base, chain: info.baseChain) {
          for entry in entries { seen.post(entry) }
        }
        seen.finish()
      }
      var writer = Writer()
      for round in 0..<50 {
        let batch = writer.next("\(round)")
        let place = try await log.append(batch)
        // Half of the time the follower is at the end, and waits; else it lies behind.
        if round % 2 == 0 || round == 49 {
          let entry = await seen.next { $0.place == place }
          #expect(entry?.batch == batch)
        }
      }
      await log.close()
      try await following.value
      #expect(await seen.rest() == [])
      try await log.open()
    }
  }

  @Test(arguments: Engine.allCases)
  func aFollowerEndsWhenItsTaskIsCancelled(engine: Engine) async throws {
    try await withLog(engine) { log in
      let info = try await log.info()
      let following = Task {
        for try await _ in try await log.follow(after: info.base, chain: info.baseChain) {}
      }
      following.cancel()
      try await following.value
    }
  }

  @Test(arguments: Engine.allCases)
  func whoKnowsAnotherHistoryIsToldSo(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writer = Writer()
      for text in ["a", "b", "c"] { try await log.append(writer.next(text)) }
      let entries = try await readAll(log)
      let wrong = Hash.of([1])
      try await log.check(entries[1].place, chain: entries[1].chain)
      #expect(
        try await failure { try await log.check(entries[1].place, chain: wrong) }
          == .forked(at: entries[1].place)
      )
      let beyond = Place(entries[2].place.message + 1)
      #expect(
        try await failure { try await log.check(beyond, chain: entries[2].chain) }
          == .forked(at: beyond)
      )
      #expect(
        try await failure { _ = try await log.follow(after: .start, chain: wrong) }
          == .forked(at: .start)
      )
    }
  }

  @Test(arguments: Engine.allCases)
  func truncationRemovesWhatStandsBefore(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writer = Writer()
      let start = try await log.info()
      var batches: [Batch] = []
      for text in ["a", "b", "c", "d", "e"] {
        batches.append(writer.next(text))
        try await log.append(try #require(batches.last))
      }
      let entries = try await readAll(log)
      try await log.truncate(before: entries[3].place)
      let info = try await log.info()
      #expect(info.base == entries[2].place && info.baseChain == entries[2].chain)
      #expect(try await readAll(log) == Array(entries[3...]))
      // Who is behind is told where the log begins.
      let first = entries[3].place
      #expect(
        try await failure { _ = try await log.follow(after: .start, chain: start.chain) }
          == .truncated(first: first)
      )
      #expect(
        try await failure { try await log.check(entries[1].place, chain: entries[1].chain) }
          == .truncated(first: first)
      )
      try await log.check(entries[2].place, chain: entries[2].chain)
      // Numbers are remembered: the newest of a writer with its place, older ones are gone.
      #expect(try await log.append(batches[4]) == entries[4].place)
      #expect(
        try await failure { _ = try await log.append(batches[1]) } == .truncated(first: first)
      )
      try await log.truncate(before: entries[1].place)
      #expect(try await log.info().base == entries[2].place)
      #expect(try await log.verify().findings == [])
      try await log.append(writer.next("f"))
      #expect(try await readAll(log).count == 3)
    }
  }

  @Test(arguments: Engine.allCases)
  func aLogMayBeEmptiedAndGoesOn(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writer = Writer()
      let first = writer.next("a")
      let place = try await log.append(first)
      try await log.truncate(before: Place(place.message + 1))
      let info = try await log.info()
      #expect(info.isEmpty && info.last == place)
      #expect(try await log.append(first) == place)
      let second = try await log.append(writer.next("b"))
      #expect(second > place)
      #expect(
        try await failure { try await log.truncate(before: Place(second.message + 2)) }
          == .forked(at: Place(second.message + 2))
      )
      #expect(
        try await read(log, after: place, chain: info.chain, count: 1).map(\.place) == [second]
      )
    }
  }

  @Test(arguments: Engine.allCases)
  func aWriterIsForgottenADayOfLogTimeAfterItsLastEntryWasRemoved(engine: Engine) async throws {
    try await withLog(engine) { log in
      var early = Writer()
      var late = Writer()
      let first = early.next("a")
      let place = try await log.append(first)
      late.time = early.time + 25 * 3600 * 1000
      try await log.append(late.next("b"))
      // Its entry is there.
      #expect(try await log.append(first) == place)
      try await log.truncate(before: Place(place.message + 1))
      #expect(
        try await failure { _ = try await log.append(early.next("c")) } == .outOfOrder(expected: 1)
      )
      try await log.append(late.next("d"))
    }
  }

  @Test(arguments: Engine.allCases)
  func logTimeDoesNotGoBackWithAWritersClock(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writer = Writer()
      writer.time = 5000
      try await log.append(writer.next("a"))
      writer.time = 100
      try await log.append(writer.next("b"))
      #expect(try await log.info().time == 5001)
      #expect(try await readAll(log).map(\.batch.time) == [5001, 101])
    }
  }

  @Test(arguments: Engine.allCases)
  func aClosedLogAnswersNothingAndOpensAgainAsItWas(engine: Engine) async throws {
    try await withLog(engine) { log in
      var writer = Writer()
      let first = writer.next("a")
      let place = try await log.append(first)
      let info = try await log.info()
      await log.close()
      #expect(try await failure { _ = try await log.append(writer.next("b")) } == .closed)
      #expect(try await failure { _ = try await log.info() } == .closed)
      #expect(try await failure { try await log.truncate(before: .start) } == .closed)
      #expect(
        try await failure { _ = try await log.follow(after: .start, chain: info.baseChain) }
          == .closed
      )
      var reopened = try await log.open()
      reopened.bytes = info.bytes
      #expect(reopened == info)
      #expect(try await log.append(first) == place)
      try await log.append(Batch(writer: writer.id, n: 2, time: 0, format: 9, commits: []))
    }
  }
}
