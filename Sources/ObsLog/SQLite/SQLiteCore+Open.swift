import FoundationEssentials

extension SQLiteCore {
  /// Refuses to begin a new log where one was.
  func refuseMissing(_ mark: AckedMark) throws(LogError) {
    guard (SystemFile.size(path) ?? 0) == 0, let value = mark.read(), value.place > .start else {
      return
    }
    throw .damaged(
      at: Place(1),
      "\(path) is missing, and \(value.place) entries were acknowledged (remove the file acked to begin anew)"
    )
  }

  /// Writes the row of a new log.
  nonisolated func createHead(_ database: Database) throws(SQLiteFailure) {
    let id = UUID()
    let genesis = Chain.genesis(log: id).bytes
    let insert = try database.prepare("INSERT INTO head VALUES (1, ?, 0, ?, 0, ?, 0)")
    try insert.bind(Chain.bytes(id), at: 1)
    try insert.bind(genesis, at: 2)
    try insert.bind(genesis, at: 3)
    try insert.run()
  }

  /// Reads the head and the writers, and checks the newest entry.
  func load(_ database: Database, _ statements: SQLiteStatements) throws(LogError) -> Head {
    do throws(SQLiteFailure) {
      guard let head = try readHead(database) else {
        throw SQLiteFailure.broken("the head row is missing or has no meaning")
      }
      let first = try database.integer("SELECT min(place) FROM entries")
      let last = try database.integer("SELECT max(place) FROM entries")
      if head.base == head.last {
        guard last == 0, head.chain == head.baseChain else {
          throw SQLiteFailure.broken("the head says that there is no entry after \(head.base)")
        }
      } else {
        guard first == Int64(head.base.message) + 1, last == Int64(head.last.message) else {
          throw SQLiteFailure.broken(
            "the head names the entries \(head.base.message + 1) to \(head.last), there are \(first) to \(last)"
          )
        }
        try checkNewest(head, statements)
      }
      writers = try readWriters(database)
      return head
    } catch {
      throw error.logError("checking \(path)", at: (try? readHead(database))?.last)
    }
  }

  private func checkNewest(_ head: Head, _ statements: SQLiteStatements) throws(SQLiteFailure) {
    let before = Place(head.last.message - 1)
    guard let previous = try chain(at: before, head, statements) else {
      throw SQLiteFailure.broken("the entry before the newest is missing")
    }
    try statements.after.bind(Int64(before.message), at: 1)
    defer { statements.after.reset() }
    guard try statements.after.step(),
      let row = EntryRow(statements.after), row.entry.chain == head.chain,
      Chain.next(previous, row.entry.batch, body: row.body) == head.chain
    else { throw SQLiteFailure.broken("the newest entry does not have the hash of the head") }
  }

  private func readHead(_ database: Database) throws(SQLiteFailure) -> Head? {
    let row = try database.prepare(
      "SELECT log, base, base_chain, last, chain, time FROM head WHERE one = 1"
    )
    guard try row.step(), let log = Chain.id(row.bytes(0)),
      let baseChain = Hash(bytes: row.bytes(2)), let chain = Hash(bytes: row.bytes(4)),
      row.integer(1) >= 0, row.integer(3) >= row.integer(1)
    else { return nil }
    return Head(
      log: log,
      base: Place(UInt64(row.integer(1))),
      baseChain: baseChain,
      last: Place(UInt64(row.integer(3))),
      chain: chain,
      time: row.integer(5)
    )
  }

  private func readWriters(_ database: Database) throws(SQLiteFailure) -> WriterTable {
    var writers = WriterTable()
    let row = try database.prepare("SELECT writer, n, place, time FROM writers")
    while try row.step() {
      guard let writer = Chain.id(row.bytes(0)), row.integer(1) > 0, row.integer(2) > 0 else {
        throw SQLiteFailure.broken("a row of the writers has no meaning")
      }
      let place = Place(UInt64(row.integer(2)))
      writers.note(writer, n: UInt64(row.integer(1)), place: place, time: row.integer(3))
    }
    return writers
  }

  /// Sees whether what was acknowledged last is there.
  func compare(
    _ mark: AckedMark,
    _ head: Head,
    _ statements: SQLiteStatements
  ) throws(LogError) {
    if let value = mark.read() {
      guard value.log == head.log else {
        throw .foreign("\(path) is another log than the one whose last entry the file acked names")
      }
      guard value.place <= head.last else {
        throw .damaged(
          at: Place(head.last.message + 1),
          """
          \(path) ends at place \(head.last), but entries up to \(value.place) were acknowledged \
          (to accept that they are lost, remove the file acked)
          """
        )
      }
      do throws(SQLiteFailure) {
        if value.place >= head.base, try chain(at: value.place, head, statements) != value.chain {
          throw SQLiteFailure.broken("the entry is another than the one that was acknowledged")
        }
      } catch {
        throw error.logError("checking \(path)", at: value.place)
      }
    }
    mark.write(AckedMark.Value(log: head.log, place: head.last, chain: head.chain))
  }

  /// The hash at a place; nil when there is none.
  func chain(
    at place: Place,
    _ head: Head,
    _ statements: SQLiteStatements
  ) throws(SQLiteFailure) -> Hash? {
    if place == head.base { return head.baseChain }
    if place == head.last { return head.chain }
    guard place > head.base, place < head.last else { return nil }
    try statements.chainAt.bind(Int64(place.message), at: 1)
    defer { statements.chainAt.reset() }
    return try statements.chainAt.step() ? Hash(bytes: statements.chainAt.bytes(0)) : nil
  }
}

/// A row of the table `entries`.
struct EntryRow {
  let entry: Entry
  let body: [UInt8]

  /// Reads the row at which a statement stands; nil when it has no meaning.
  init?(_ row: Statement) {
    let body = row.bytes(6)
    guard let writer = Chain.id(row.bytes(1)), let chain = Hash(bytes: row.bytes(5)),
      let format = UInt16(exactly: row.integer(4)), let commits = Chain.commits(body: body),
      row.integer(0) > 0
    else { return nil }
    self.body = body
    entry = Entry(
      place: Place(UInt64(row.integer(0))),
      chain: chain,
      batch: Batch(
        writer: writer,
        n: UInt64(bitPattern: row.integer(2)),
        time: row.integer(3),
        format: format,
        commits: commits
      )
    )
  }
}
