import Foundation
import ObsLog
import ObsTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SnapshotTests {
  private func label(_ place: UInt64) -> SnapshotLabel {
    SnapshotLabel(
      place: Place(place),
      chain: Hash.of([UInt8(place)]),
      digest: [1, 2, 3],
      format: 5
    )
  }

  private func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes = [UInt8](repeating: 0, count: count)
    for _ in 0..<min(count, 1000) {
      bytes[Int.random(in: 0..<count, using: &generator)] = .random(in: 0...255, using: &generator)
    }
    return bytes
  }

  @Test(arguments: Engine.allCases)
  func aSnapshotReadsBackAsItWasWritten(engine: Engine) async throws {
    try await withLog(engine) { log in
      let content = bytes(3 << 20)
      let pieces = [
        Array(content[..<100]), [], Array(content[100..<2_500_000]), Array(content[2_500_000...]),
      ]
      let written = try await log.snapshots.put(label(7), chunks: source(pieces))
      #expect(written.label == label(7))
      #expect(written.bytes == content.count && written.chunks == 3)
      #expect(try await log.snapshots.newest() == written)
      #expect(try await ObsLogTests.content(log.snapshots, written) == content)
      #expect(try await log.verify().snapshots == 1)
    }
  }

  @Test(arguments: Engine.allCases)
  func anEmptySnapshotIsOne(engine: Engine) async throws {
    try await withLog(engine) { log in
      let written = try await log.snapshots.put(label(1), chunks: source([]))
      #expect(written.chunks == 0)
      #expect(try await content(log.snapshots, written) == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func theNewestSnapshotIsThatOfTheHighestPlace(engine: Engine) async throws {
    try await withLog(engine) { log in
      #expect(try await log.snapshots.newest() == nil)
      for place in [5, 9, 2] as [UInt64] {
        _ = try await log.snapshots.put(label(place), chunks: source([[UInt8(place)]]))
      }
      #expect(try await log.snapshots.list().map(\.label.place.message) == [2, 5, 9])
      try await log.snapshots.remove(Place(9))
      try await log.snapshots.remove(Place(100))
      let newest = try #require(try await log.snapshots.newest())
      #expect(newest.label == label(5))
      #expect(try await content(log.snapshots, newest) == [5])
    }
  }

  @Test(arguments: Engine.allCases)
  func aSecondSnapshotOfAPlaceReplacesTheFirst(engine: Engine) async throws {
    try await withLog(engine) { log in
      _ = try await log.snapshots.put(label(5), chunks: source([bytes(2 << 20)]))
      let second = try await log.snapshots.put(label(5), chunks: source([[2]]))
      #expect(try await log.snapshots.list() == [second])
      #expect(try await content(log.snapshots, second) == [2])
      #expect(try await log.verify().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func aSnapshotThatIsBeingWrittenCannotBeSeenAndAnAbandonedOneLeavesNothing(
    engine: Engine
  ) async throws {
    struct Stop: Error {}
    try await withLog(engine) { log in
      let whole = try await log.snapshots.put(label(3), chunks: source([[3]]))
      var writer = Writer()
      var count = 0
      await #expect(throws: Stop.self) {
        _ = try await log.snapshots.put(label(8)) {
          // Serving goes on meanwhile.
          try await log.append(writer.next("\(count)"))
          #expect(try await log.snapshots.list() == [whole])
          count += 1
          if count == 4 { throw Stop() }
          return self.bytes(1 << 20)
        }
      }
      #expect(count == 4)
      #expect(try await log.snapshots.list() == [whole])
      #expect(try await log.verify().findings == [])
      #expect(try await readAll(log).count == 4)
    }
  }

  @Test(arguments: Engine.allCases)
  func aDigestOfMoreThan64BytesIsRefused(engine: Engine) async throws {
    try await withLog(engine) { log in
      var large = label(1)
      large.digest = bytes(65)
      let error = try await failure {
        _ = try await log.snapshots.put(large, chunks: source([[1]]))
      }
      #expect(error == .tooLarge(bytes: 65, limit: 64))
    }
  }

  @Test func snapshotsSurviveReopeningAndLeftoversOfACrashAreRemoved() async throws {
    try await withFaultyLog { directory, disk, log in
      let whole = try await log.snapshots.put(label(3), chunks: source([bytes(2_000_000)]))
      var chunk = 0
      _ = try await failure {
        _ = try await log.snapshots.put(label(8)) {
          chunk += 1
          if chunk == 4 { disk.powerOff() }
          return self.bytes(1 << 20)
        }
      }
      let again = try sqliteLog(directory, on: disk)
      await log.close()
      try await again.open()
      #expect(try await again.snapshots.list() == [whole])
      #expect(try await content(again.snapshots, whole) == bytes(2_000_000))
      #expect(try await again.verify().findings == [])
      await again.close()
    }
  }

  @Test func theFileOfTheSnapshotsIsUsedAgainAndDoesNotGrowForEver() async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      var largest = 0
      for place in 1...8 as ClosedRange<UInt64> {
        _ = try await log.snapshots.put(label(place), chunks: source([bytes(4 << 20)]))
        if place > 2 { try await log.snapshots.remove(Place(place - 2)) }
        await log.close()
        try await log.open()
        let size = try #require(fileSize(directory + "/data/snapshots.sqlite"))
        if place == 4 { largest = size }
        if place > 4 { #expect(size <= largest) }
      }
      await log.close()
    }
  }

  private func fileSize(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
  }
}
