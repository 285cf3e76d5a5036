import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// The implementations that the conformance suite runs over.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { rawValue }
}

/// Runs `body` with an open, empty log of an engine.
func withLog(
  _ engine: Engine,
  largestMessage: Int = 1 << 20,
  _ body: (any CommitLog) async throws -> Void
) async throws {
  switch engine {
  case .memory:
    let log = MemoryLog(largestMessage: largestMessage)
    try await log.open()
    try await body(log)
    await log.close()
  case .sqlite:
    try await withDirectory { directory in
      let log = try sqliteLog(directory, largestMessage: largestMessage)
      try await log.open()
      try await body(log)
      await log.close()
    }
  }
}

func sqliteLog(
  _ directory: String,
  on disk: FaultDisk? = nil,
  largestMessage: Int = 1 << 20,
  checkpointPages: Int? = nil
) throws -> SQLiteLog {
  var options = SQLiteLog.Options()
  if let checkpointPages { options.checkpointPages = checkpointPages }
  options.largestMessage = largestMessage
  options.vfs = disk?.vfs
  return try SQLiteLog(directory: directory + "/data", options: options)
}

/// Runs `body` with an open, empty log on a disk that can be made to fail.
func withFaultyLog(_ body: (String, FaultDisk, SQLiteLog) async throws -> Void) async throws {
  try await withDirectory { directory in
    let disk = FaultDisk()
    let log = try sqliteLog(directory, on: disk)
    try await log.open()
    try await body(directory, disk, log)
  }
}

/// One writer with its numbers.
struct Writer {
  let id = UUID()
  var n: UInt64 = 0
  var time: Int64 = 1_000_000

  /// The next batch.
  mutating func next(_ commits: String...) -> Batch { next(commits.map { Array($0.utf8) }) }

  mutating func next(_ commits: [CommitBytes]) -> Batch {
    n += 1
    time += 1
    return Batch(writer: id, n: n, time: time, format: 1, commits: commits)
  }
}

/// A commit of some bytes.
func commit(bytes: Int) -> CommitBytes { [UInt8](repeating: 7, count: bytes) }

/// Reads so many entries after a place.
func read(
  _ log: any CommitLog,
  after place: Place,
  chain: Hash,
  count: Int
) async throws -> [Entry] {
  guard count > 0 else { return [] }
  var entries: [Entry] = []
  for try await some in try await log.follow(after: place, chain: chain) {
    entries += some
    if entries.count >= count { break }
  }
  return entries
}

/// All entries that a log has.
func readAll(_ log: any CommitLog) async throws -> [Entry] {
  let info = try await log.info()
  var entries: [Entry] = []
  guard !info.isEmpty else { return [] }
  for try await some in try await log.follow(after: info.base, chain: info.baseChain) {
    entries += some
    if let last = some.last, last.place >= info.last { break }
  }
  return entries
}

/// The error that an operation throws; nil when it throws none.
func failure(_ body: () async throws -> Void) async throws -> LogError? {
  do {
    try await body()
    return nil
  } catch let error as LogError {
    return error
  }
}

/// Hands out chunks.
func source(_ chunks: [[UInt8]]) -> ChunkSource {
  var rest = chunks[...]
  return { rest.popFirst() }
}

/// The bytes of a snapshot.
func content(_ store: any SnapshotStore, _ snapshot: Snapshot) async throws -> [UInt8] {
  var reader = store.read(snapshot)
  var bytes: [UInt8] = []
  while let chunk = try await reader.next() { bytes += chunk }
  return bytes
}
