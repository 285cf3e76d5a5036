import FoundationEssentials

extension SQLiteCore {
  /// Checks pages, order, chain and writers; between slices other work goes on.
  func verify() async throws(LogError) -> Verification {
    var result = Verification()
    for finding in try verifyPages() { result.note(finding) }
    let (_, head) = try opened()
    var scan = LogScan(base: head.base, chain: head.baseChain)
    while result.findings.count < Verification.findingsAtMost, try scanSome(&scan, &result) {
      await Task.yield()
    }
    return result
  }

  private func verifyPages() throws(LogError) -> [LogError] {
    try opened().0.database.verifyPages(path)
  }

  /// Reads some entries; false after the last, when the whole was compared with the head and the writers.
  private func scanSome(_ scan: inout LogScan, _ result: inout Verification) throws(LogError)
    -> Bool
  {
    let (open, head) = try opened()
    // Entries may have been removed meanwhile: go on behind them.
    if scan.reading.place < head.base { scan = LogScan(base: head.base, chain: head.baseChain) }
    guard scan.reading.place < head.last else {
      finish(scan, head, &result)
      return false
    }
    let row = open.statements.after
    do throws(SQLiteFailure) {
      try row.bind(Int64(scan.reading.place.message), at: 1)
      defer { row.reset() }
      var size = 0
      while size < ReadLimit.bytes, try row.step() {
        let entry = try scan.reading.take(row)
        size += entry.body.count
        result.entries += 1
        result.commits += entry.entry.batch.commits.count
        if !scan.count(entry.entry) {
          let batch = entry.entry.batch
          result.note(
            .damaged(
              at: entry.entry.place,
              "batch \(batch.n) of writer \(batch.writer) is out of order"
            )
          )
        }
      }
      // A reading that ends early without an error has lost the rest.
      if size == 0 { throw SQLiteFailure.broken("the entry is missing") }
    } catch {
      let place = Place(scan.reading.place.message + 1)
      result.note(error.logError("reading \(path)", at: place))
      scan.skip(place, chain: (try? chain(at: place, head, open.statements)) ?? nil)
    }
    return true
  }

  private func finish(_ scan: LogScan, _ head: Head, _ result: inout Verification) {
    guard scan.isUnbroken else { return }
    if scan.reading.chain != head.chain {
      result.note(.damaged(at: head.last, "the head does not have the hash of the newest entry"))
    }
    for (writer, last) in scan.writers
    where writers.last[writer]?.n != last.n
      || writers.last[writer]?.place != last.place
    {
      result.note(
        .damaged(at: last.place, "the number of writer \(writer) is not that of its entries")
      )
    }
  }
}

/// How far a check of the log has come.
struct LogScan {
  var reading: ChainReading
  private(set) var writers: [UUID: (n: UInt64, place: Place)] = [:]
  /// False after an entry that could not be read.
  private(set) var isUnbroken = true

  init(base: Place, chain: Hash) { reading = ChainReading(place: base, chain: chain) }

  /// Notes the batch of an entry; false when its writer's batches before it are missing.
  mutating func count(_ entry: Entry) -> Bool {
    defer { writers[entry.batch.writer] = (entry.batch.n, entry.place) }
    guard let last = writers[entry.batch.writer] else { return true }
    return !isUnbroken || entry.batch.n == last.n + 1
  }

  /// Goes on behind an entry that is not good.
  mutating func skip(_ place: Place, chain: Hash?) {
    isUnbroken = false
    reading.place = place
    if let chain { reading.chain = chain }
  }
}

extension Database {
  /// What SQLite finds wrong with the pages of its file.
  func verifyPages(_ path: String) -> [LogError] {
    do throws(SQLiteFailure) {
      let lines = try texts("PRAGMA integrity_check(20)")
      return lines == ["ok"] ? [] : lines.map { .damaged(at: nil, "\(path): \($0)") }
    } catch {
      return [error.logError("checking \(path)")]
    }
  }
}
