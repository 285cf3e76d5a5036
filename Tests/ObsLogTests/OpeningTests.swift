import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// Directories that are not what they should be.
@Suite(.timeLimit(.minutes(1)))
struct OpeningTests {
  @Test func aDirectoryInUseIsRefusedAndTheErrorNamesTheProcess() async throws {
    try await withDirectory { directory in
      let first = try sqliteLog(directory)
      try await first.open()
      let second = try sqliteLog(directory)
      let error = try await failure { try await second.open() }
      #expect(error == .locked(pid: getpid(), directory + "/data"))
      // The first is not disturbed, and its end lets the second in.
      var writer = Writer()
      try await first.append(writer.next("a"))
      await first.close()
      try await second.open()
      #expect(try await readAll(second).count == 1)
      await second.close()
    }
  }

  @Test func aFileThatIsNoDatabaseIsForeignAndStaysAsItIs() async throws {
    try await withDirectory { directory in
      let path = directory + "/data/log.sqlite"
      try FileManager.default.createDirectory(
        atPath: directory + "/data",
        withIntermediateDirectories: true
      )
      let content = Data(repeating: 65, count: 10_000)
      try content.write(to: URL(filePath: path))
      guard case .foreign = try await failure({ try await sqliteLog(directory).open() }) else {
        Issue.record("a foreign file was opened")
        return
      }
      #expect(try Data(contentsOf: URL(filePath: path)) == content)
    }
  }

  @Test(arguments: ["application_id = 17", "user_version = 99"])
  func anotherProgramsOrANewerFileIsRefusedAndStaysAsItIs(pragma: String) async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      await log.close()
      let path = directory + "/data/log.sqlite"
      // The two numbers stand at these places of the file's first page (sqlite.org/fileformat.html §1.3).
      let offset: UInt64 = pragma.hasPrefix("application") ? 68 : 60
      try overwrite(path, at: offset, [0, 0, 0, pragma.hasPrefix("application") ? 17 : 99])
      let before = try Data(contentsOf: URL(filePath: path))
      let error = try await failure { try await log.open() }
      if pragma.hasPrefix("application") {
        #expect(error == .foreign("\(path) is not a log.sqlite of obs"))
      } else {
        #expect(error == .newerFormat(found: 99, known: 1, path))
      }
      #expect(try Data(contentsOf: URL(filePath: path)) == before)
      #expect(try await failure { _ = try await log.info() } == .closed)
    }
  }

  @Test func snapshotsOfAnotherLogAreForeign() async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      await log.close()
      try FileManager.default.removeItem(atPath: directory + "/data/log.sqlite")
      guard case .foreign = try await failure({ try await log.open() }) else {
        Issue.record("the snapshots of another log were taken")
        return
      }
    }
  }

  @Test func aLogThatIsMissingBesideWhatWasAcknowledgedIsDamage() async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      var writer = Writer()
      try await log.append(writer.next("a"))
      await log.close()
      try FileManager.default.removeItem(atPath: directory + "/data/log.sqlite")
      guard case .damaged(at: Place(1), _) = try await failure({ try await log.open() }) else {
        Issue.record("a new log was begun in place of one that is missing")
        return
      }
      #expect(!FileManager.default.fileExists(atPath: directory + "/data/log.sqlite"))
    }
  }

  @Test func anOldCopyPutBackIsFoundByWhatWasAcknowledged() async throws {
    try await withDirectory { directory in
      let log = try sqliteLog(directory)
      try await log.open()
      var writer = Writer()
      try await log.append(writer.next("a"))
      await log.close()
      let path = directory + "/data/log.sqlite"
      try FileManager.default.copyItem(atPath: path, toPath: directory + "/old")
      try await log.open()
      try await log.append(writer.next("b"))
      await log.close()
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: directory + "/old", toPath: path)
      guard case .damaged(at: Place(2), let text) = try await failure({ try await log.open() })
      else {
        Issue.record("an old copy was opened as if nothing had been lost")
        return
      }
      // What the text says helps: the operator accepts the loss.
      #expect(text.contains("remove the file acked"))
      try FileManager.default.removeItem(atPath: directory + "/data/acked")
      try await log.open()
      #expect(try await readAll(log).count == 1)
      await log.close()
    }
  }

  @Test func aDirectoryThatCannotBeMadeIsAnError() async throws {
    try await withDirectory { directory in
      try Data().write(to: URL(filePath: directory + "/file"))
      let log = try SQLiteLog(directory: directory + "/file/data")
      guard case .io(let text) = try await failure({ try await log.open() }) else {
        Issue.record("opened below a file")
        return
      }
      #expect(text.contains(directory))
    }
  }
}

/// Replaces some bytes of a file.
func overwrite(_ path: String, at offset: UInt64, _ bytes: [UInt8]) throws {
  let file = try FileHandle(forUpdating: URL(filePath: path))
  try file.seek(toOffset: offset)
  try file.write(contentsOf: Data(bytes))
  try file.close()
}
