import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// Real files, really damaged: never taken for whole, and the place is named.
@Suite(.timeLimit(.minutes(2)))
struct DamageTests {
  private static let entries = 40

  /// A closed log with known entries: each body is one marker byte repeated.
  private func withClosedLog(
    _ body: (_ directory: String, _ file: String) async throws -> Void
  ) async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      var writer = Writer()
      for number in 0..<DamageTests.entries {
        try await log.append(writer.next([[UInt8](repeating: UInt8(100 + number), count: 3000)]))
      }
      let label = SnapshotLabel(place: Place(5), chain: Hash.of([5]), digest: [9], format: 1)
      let content = [[UInt8](repeating: 77, count: 1_500_000)]
      _ = try await log.snapshots.put(label, chunks: source(content))
      await log.close()
      try await body(directory, directory + "/data/log.sqlite")
    }
  }

  /// Where the bytes of an entry are in a file.
  private func offset(of number: Int, in file: String) throws -> UInt64 {
    let marker = Data(repeating: UInt8(100 + number), count: 1500)
    let range = try Data(contentsOf: URL(filePath: file)).range(of: marker)
    return UInt64(try #require(range).lowerBound + 700)
  }

  @Test(arguments: [0, 17, 38])
  func aFlippedBitIsFoundByVerifyAndByFollowersBeforeTheyGetIt(number: Int) async throws {
    try await withClosedLog { directory, file in
      let bad = Place(UInt64(number) + 1)
      try overwrite(file, at: offset(of: number, in: file), [UInt8(100 + number) ^ 4])
      let log = try sqliteLog(directory)
      let info = try await log.open()
      let verification = try await log.verify()
      #expect(verification.findings.count == 1)
      guard case .damaged(at: bad, _) = verification.findings.first else {
        Issue.record("\(verification.findings)")
        return
      }
      #expect(verification.entries == DamageTests.entries - 1)
      var seen: [Entry] = []
      let error = try await failure {
        for try await some in try await log.follow(after: info.base, chain: info.baseChain) {
          seen += some
        }
      }
      #expect(seen.count == number)
      guard case .damaged(at: bad, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      await log.close()
    }
  }

  @Test func aFlippedBitInTheNewestEntryIsFoundWhenTheLogIsOpened() async throws {
    try await withClosedLog { directory, file in
      let number = DamageTests.entries - 1
      try overwrite(file, at: offset(of: number, in: file), [0])
      let error = try await failure { try await sqliteLog(directory).open() }
      guard case .damaged(at: Place(UInt64(DamageTests.entries)), _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func aMissingPageIsFoundWithItsPlace() async throws {
    try await withClosedLog { directory, file in
      let page = try offset(of: 20, in: file) / 4096 * 4096
      try overwrite(file, at: page, [UInt8](repeating: 0, count: 4096))
      let log = try sqliteLog(directory)
      try await log.open()
      let findings = try await log.verify().findings
      let places = findings.compactMap { finding -> Place? in
        if case .damaged(at: let place, _) = finding { place } else { nil }
      }
      #expect(places.contains(Place(21)))
      await log.close()
    }
  }

  @Test func aFileThatWasCutIsDamaged() async throws {
    try await withClosedLog { directory, file in
      let size = try Data(contentsOf: URL(filePath: file)).count
      let handle = try FileHandle(forUpdating: URL(filePath: file))
      try handle.truncate(atOffset: UInt64(size / 4096 - 8) * 4096)
      try handle.close()
      let log = try sqliteLog(directory)
      let error = try await failure {
        try await log.open()
        let findings = try await log.verify().findings
        if let first = findings.first { throw first }
      }
      guard case .damaged = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      await log.close()
    }
  }

  @Test func aFlippedBitInASnapshotIsFoundBeforeItsChunkIsHandedOut() async throws {
    try await withClosedLog { directory, _ in
      let file = directory + "/data/snapshots.sqlite"
      let marker = Data(repeating: 77, count: 2000)
      let bytes = try Data(contentsOf: URL(filePath: file))
      let range = try #require(bytes.range(of: marker, in: bytes.count / 2..<bytes.count))
      try overwrite(file, at: UInt64(range.lowerBound + 900), [78])
      let log = try sqliteLog(directory)
      try await log.open()
      let snapshot = try #require(try await log.snapshots.newest())
      let error = try await failure { _ = try await content(log.snapshots, snapshot) }
      guard case .damaged(at: Place(5), _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try await log.verify().findings == [try #require(error)])
      await log.close()
    }
  }

  /// The write-ahead log is not moved into the file when the process dies; its end is torn off or flipped then.
  @Test(arguments: ["cut", "flip"])
  func anAcknowledgedTailThatIsTornIsNotTakenForAnUnfinishedOne(how: String) async throws {
    try await withFaultyLog { directory, disk, log in
      var writer = Writer()
      for text in ["a", "b", "c", "d"] { try await log.append(writer.next(text)) }
      disk.powerOff()
      await log.close()
      let file = directory + "/data/log.sqlite-wal"
      let size = try Data(contentsOf: URL(filePath: file)).count
      if how == "cut" {
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.truncate(atOffset: UInt64(size - 100))
        try handle.close()
      } else {
        try overwrite(file, at: UInt64(size - 2000), [1])
      }
      let real = try sqliteLog(directory)
      guard case .damaged(at: Place(4), _) = try await failure({ try await real.open() }) else {
        Issue.record("a torn tail was taken for whole")
        return
      }
    }
  }

  @Test func whateverByteIsFlippedNothingWrongIsEverRead() async throws {
    let seed = testSeed()
    var generator = SeededGenerator(seed: seed)
    try await withClosedLog { directory, file in
      let whole = try Data(contentsOf: URL(filePath: file))
      let log = try sqliteLog(directory)
      try await log.open()
      let entries = try await readAll(log)
      await log.close()
      for _ in 0..<60 {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let offset = Int.random(in: 0..<bytes.count, using: &generator)
          bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        try bytes.write(to: URL(filePath: file))
        var seen: [Entry] = []
        _ = try await failure {
          let info = try await log.open()
          for try await some in try await log.follow(after: info.base, chain: info.baseChain) {
            seen += some
            if let last = some.last, last.place >= info.last { break }
          }
        }
        #expect(seen == Array(entries.prefix(seen.count)))
        await log.close()
      }
    }
  }
}
