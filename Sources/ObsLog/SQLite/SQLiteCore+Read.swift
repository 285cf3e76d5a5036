extension SQLiteCore {
  func check(_ place: Place, chain known: Hash) throws(LogError) {
    let (open, head) = try opened()
    guard place >= head.base else { throw .truncated(first: Place(head.base.message + 1)) }
    let found: Hash?
    do throws(SQLiteFailure) {
      found = try chain(at: place, head, open.statements)
    } catch {
      throw error.logError("reading \(path)", at: place)
    }
    guard found == known else { throw .forked(at: place) }
  }

  func read(after place: Place, chain: Hash) throws(LogError) -> [Entry] {
    let (open, head) = try opened()
    try check(place, chain: chain)
    guard place < head.last else { return [] }
    if let recent = arrivals.recent(after: place) { return recent }
    return try readFile(after: place, chain: chain, open)
  }

  private func readFile(
    after place: Place,
    chain: Hash,
    _ open: Open
  ) throws(LogError) -> [Entry] {
    var reading = ChainReading(place: place, chain: chain)
    var entries: [Entry] = []
    var size = 0
    let row = open.statements.after
    do throws(SQLiteFailure) {
      try row.bind(Int64(place.message), at: 1)
      defer { row.reset() }
      while size < ReadLimit.bytes, try row.step() {
        let entry = try reading.take(row)
        size += entry.body.count
        entries.append(entry.entry)
      }
    } catch {
      // What stands before the damage is good, and comes first.
      if !entries.isEmpty { return entries }
      throw error.logError("reading \(path)", at: Place(reading.place.message + 1))
    }
    return entries
  }
}

/// Goes along the rows of the table `entries` and checks that each follows the one before.
struct ChainReading {
  /// The last row that was good.
  var place: Place
  var chain: Hash

  mutating func take(_ row: Statement) throws(SQLiteFailure) -> EntryRow {
    guard let entry = EntryRow(row) else {
      throw SQLiteFailure.broken("the entry has no meaning")
    }
    guard entry.entry.place.message == place.message + 1 else {
      throw SQLiteFailure.broken("the entry is missing")
    }
    guard Chain.next(chain, entry.entry.batch, body: entry.body) == entry.entry.chain else {
      throw SQLiteFailure.broken("the entry does not have its hash")
    }
    place = entry.entry.place
    chain = entry.entry.chain
    return entry
  }
}
