import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// Files that are used for long stay as large as what they hold.
@Suite(.timeLimit(.minutes(1)))
struct GrowthTests {
  private func size(_ path: String) throws -> Int {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    return try #require(size)
  }

  @Test func theRoomOfRemovedEntriesIsUsedAgain() async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory, on: FaultDisk())
      try await log.open()
      var writer = Writer()
      var largest = 0
      for round in 1...12 {
        for _ in 0..<40 { try await log.append(writer.next([commit(bytes: 50_000)])) }
        try await log.truncate(before: Place(try await log.info().last.message - 10))
        let bytes = try await log.info().bytes
        if round == 3 { largest = bytes }
        if round > 3 { #expect(bytes <= largest + (1 << 20)) }
      }
      await log.close()
    }
  }

  @Test func muchRoomIsGivenBackToTheFileSystem() async throws {
    try await withFaultyLog { directory, _, log in
      var writer = Writer()
      for _ in 0..<60 { try await log.append(writer.next([commit(bytes: 1 << 19)])) }
      await log.close()
      let file = directory + "/data/log.sqlite"
      #expect(try size(file) > 30 << 20)
      try await log.open()
      try await log.truncate(before: Place(60))
      await log.close()
      #expect(try size(file) < 18 << 20)
      try await log.open()
      #expect(try await log.verify().findings == [])
      await log.close()
    }
  }

  @Test func theWriteAheadLogIsMovedIntoTheFileBeforeItGrowsLarge() async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      var writer = Writer()
      for _ in 0..<1500 { try await log.append(writer.next([commit(bytes: 6000)])) }
      #expect(try size(directory + "/data/log.sqlite-wal") < 6 << 20)
      #expect(try size(directory + "/data/log.sqlite") > 8 << 20)
      await log.close()
    }
  }
}
