import FoundationEssentials

/// The database of the snapshots, on its own thread, so that a large one holds no append up.
///
/// Chunks are written one transaction each; the row that makes them a snapshot comes last.
actor SnapshotCore {
  private nonisolated let executor: LogThreadExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let directory: String
  private let options: SQLiteLog.Options
  // While the log is open.
  private var database: Database?
  private var writing: [Int64: SnapshotWriting] = [:]
  private var lastID: Int64 = 0
  private var failure: String?

  private var path: String { directory + "/" + SQLiteSchema.snapshots.name }

  init(_ directory: String, _ options: SQLiteLog.Options) throws(LogError) {
    executor = try LogThreadExecutor(name: "obs-snapshots")
    self.directory = directory
    self.options = options
  }

  private func opened() throws(LogError) -> Database {
    guard let database else { throw .closed }
    return database
  }

  func open(log: UUID) throws(LogError) {
    let id = Chain.bytes(log)
    let database = try SQLiteFile.open(path, vfs: options.vfs, schema: .snapshots) {
      database throws(SQLiteFailure) in
      let insert = try database.prepare("INSERT INTO head VALUES (1, ?)")
      try insert.bind(id, at: 1)
      try insert.run()
    }
    do throws(SQLiteFailure) {
      let head = try database.prepare("SELECT log FROM head")
      guard try head.step() else { throw SQLiteFailure.broken("the head row is missing") }
      let found = head.bytes(0)
      head.reset()
      if found == id {
        // What was not finished before a crash.
        try database.execute("DELETE FROM chunks WHERE snapshot NOT IN (SELECT id FROM snapshots)")
        lastID = try database.integer("SELECT max(id) FROM snapshots")
        self.database = database
      }
    } catch {
      throw error.logError("opening \(path)")
    }
    guard self.database != nil else { throw .foreign("\(path) belongs to another log") }
  }

  func close() {
    database = nil
    writing = [:]
    failure = nil
  }

  // MARK: Writing

  func begin(_ label: SnapshotLabel) throws(LogError) -> Int64 {
    _ = try opened()
    if let failure { throw .failed(failure) }
    lastID += 1
    writing[lastID] = SnapshotWriting(label)
    return lastID
  }

  func add(_ bytes: [UInt8], to id: Int64) throws(LogError) {
    guard var one = writing[id] else { throw .closed }
    one.cutter.add(bytes)
    while let chunk = one.cutter.next(final: false) { try write(chunk, to: id, &one) }
    writing[id] = one
  }

  func finish(_ id: Int64) throws(LogError) -> Snapshot {
    guard var one = writing[id] else { throw .closed }
    if let chunk = one.cutter.next(final: true) { try write(chunk, to: id, &one) }
    let snapshot = Snapshot(
      label: one.label,
      chunks: one.chunks,
      bytes: one.bytes,
      hash: one.hasher.finish()
    )
    let label = snapshot.label
    try change("finishing a snapshot in \(path)") { database throws(SQLiteFailure) in
      try SnapshotCore.delete(label.place, database)
      let insert = try database.prepare("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      try insert.bind(id, at: 1)
      try insert.bind(Int64(clamping: label.place.message), at: 2)
      try insert.bind(label.chain.bytes, at: 3)
      try insert.bind(label.digest, at: 4)
      try insert.bind(Int64(label.format), at: 5)
      try insert.bind(Int64(snapshot.chunks), at: 6)
      try insert.bind(Int64(snapshot.bytes), at: 7)
      try insert.bind(snapshot.hash.bytes, at: 8)
      try insert.run()
    }
    writing[id] = nil
    return snapshot
  }

  func abandon(_ id: Int64) {
    writing[id] = nil
    // If this fails, the next open removes what is left.
    try? change("removing an unfinished snapshot") { database throws(SQLiteFailure) in
      try database.execute("DELETE FROM chunks WHERE snapshot = \(id)")
    }
  }

  private func write(
    _ chunk: [UInt8],
    to id: Int64,
    _ one: inout SnapshotWriting
  ) throws(LogError) {
    let number = Int64(one.chunks)
    try change("writing a snapshot to \(path)") { database throws(SQLiteFailure) in
      let insert = try database.prepare("INSERT INTO chunks VALUES (?, ?, ?, ?)")
      try insert.bind(id, at: 1)
      try insert.bind(number, at: 2)
      try insert.bind(Hash.of(chunk).bytes, at: 3)
      try insert.bind(chunk, at: 4)
      try insert.run()
    }
    one.add(chunk)
  }

  // MARK: Reading

  func list() throws(LogError) -> [Snapshot] {
    let database = try opened()
    var snapshots: [Snapshot] = []
    do throws(SQLiteFailure) {
      let row = try database.prepare(
        "SELECT place, chain, digest, format, chunks, bytes, hash FROM snapshots ORDER BY place"
      )
      while try row.step() {
        guard let chain = Hash(bytes: row.bytes(1)), let hash = Hash(bytes: row.bytes(6)),
          let place = UInt64(exactly: row.integer(0)), let format = UInt16(exactly: row.integer(3)),
          row.bytes(2).count <= SnapshotLimit.digest
        else { throw SQLiteFailure.broken("the row of a snapshot has no meaning") }
        let label = SnapshotLabel(
          place: Place(place),
          chain: chain,
          digest: row.bytes(2),
          format: format
        )
        let (chunks, bytes) = (Int(row.integer(4)), Int(row.integer(5)))
        snapshots.append(Snapshot(label: label, chunks: chunks, bytes: bytes, hash: hash))
      }
    } catch {
      throw error.logError("reading \(path)")
    }
    return snapshots
  }

  func chunk(_ index: Int, of snapshot: Snapshot) throws(LogError) -> [UInt8] {
    let database = try opened()
    let place = snapshot.label.place
    do throws(SQLiteFailure) {
      let row = try database.prepare(
        """
        SELECT chunks.hash, body FROM chunks JOIN snapshots ON snapshot = id
        WHERE place = ? AND number = ?
        """
      )
      try row.bind(Int64(clamping: place.message), at: 1)
      try row.bind(Int64(index), at: 2)
      guard try row.step() else {
        throw SQLiteFailure.broken("chunk \(index) of the snapshot is missing")
      }
      let body = row.bytes(1)
      guard Hash(bytes: row.bytes(0)) == Hash.of(body) else {
        throw SQLiteFailure.broken("chunk \(index) of the snapshot does not have its hash")
      }
      return body
    } catch {
      throw error.logError("reading \(path)", at: place)
    }
  }

  func verifyPages() -> [LogError] {
    guard let database else { return [.closed] }
    return database.verifyPages(path)
  }

  // MARK: Removing

  func remove(_ place: Place) throws(LogError) {
    try change("removing a snapshot from \(path)") { database throws(SQLiteFailure) in
      try SnapshotCore.delete(place, database)
    }
  }

  private static func delete(_ place: Place, _ database: Database) throws(SQLiteFailure) {
    for sql in [
      "DELETE FROM chunks WHERE snapshot IN (SELECT id FROM snapshots WHERE place = ?)",
      "DELETE FROM snapshots WHERE place = ?",
    ] {
      let statement = try database.prepare(sql)
      try statement.bind(Int64(clamping: place.message), at: 1)
      try statement.run()
    }
  }

  /// Gives free pages back beyond those that the next snapshot will use; false when there are none.
  func giveBackSome() throws(LogError) -> Bool {
    let database = try opened()
    do throws(SQLiteFailure) {
      let free = try database.integer("PRAGMA freelist_count")
      let used = try database.integer("PRAGMA page_count") - free
      guard free > max(4096, used * 2) else { return false }
      try database.execute("PRAGMA incremental_vacuum(512)")
      try checkpointIfDue(database)
    } catch {
      throw error.logError("giving back room of \(path)")
    }
    return true
  }

  // MARK: Transactions

  private typealias Work = (Database) throws(SQLiteFailure) -> Void

  private func change(_ doing: String, _ work: Work) throws(LogError) {
    let database = try opened()
    if let failure { throw .failed(failure) }
    do throws(SQLiteFailure) {
      try database.execute("BEGIN IMMEDIATE")
      try work(database)
      try database.execute("COMMIT")
      try checkpointIfDue(database)
    } catch {
      if !(database.rollback() && error.isHarmless) { failure = "\(doing): \(error.text)" }
      throw error.logError(doing)
    }
  }

  private func checkpointIfDue(_ database: Database) throws(SQLiteFailure) {
    if database.framesInLog >= options.checkpointPages {
      try database.checkpoint(truncating: false)
    }
  }
}

/// A snapshot of which a part is written.
private struct SnapshotWriting {
  let label: SnapshotLabel
  let hasher: SHA256
  var cutter = ChunkCutter()
  var chunks = 0
  var bytes = 0

  init(_ label: SnapshotLabel) {
    self.label = label
    hasher = label.hasher()
  }

  mutating func add(_ chunk: [UInt8]) {
    hasher.update(chunk)
    chunks += 1
    bytes += chunk.count
  }
}
