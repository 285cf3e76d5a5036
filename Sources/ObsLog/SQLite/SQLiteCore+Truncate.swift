extension SQLiteCore {
  private static let entriesAtOnce = 500
  private static let bytesAtOnce = 8 << 20
  private static let pagesAtOnce = 512
  /// Free pages that are kept for the next entries, whatever the size of the file: 16 MiB.
  private static let pagesKept = 4096

  /// Removes some entries before a place in one transaction; false when none is left there.
  func truncateSome(before place: Place) throws(LogError) -> Bool {
    let (open, head) = try opened()
    guard place.message <= head.last.message + 1 else { throw .forked(at: place) }
    guard place.message > head.base.message + 1 else { return false }
    if let failure { throw .failed(failure) }
    let doing = "removing entries from \(path)"
    var next = head
    do throws(SQLiteFailure) {
      (next.base, next.baseChain) = try end(of: head.base, before: place, open)
    } catch {
      throw error.logError(doing, at: Place(head.base.message + 1))
    }
    let forgotten = writers.forgettable(base: next.base, now: head.time)
    var isCommitting = false
    do throws(SQLiteFailure) {
      try open.statements.begin.run()
      let remove = try open.database.prepare("DELETE FROM entries WHERE place <= ?")
      try remove.bind(Int64(next.base.message), at: 1)
      try remove.run()
      let advance = try open.database.prepare("UPDATE head SET base = ?, base_chain = ?")
      try advance.bind(Int64(next.base.message), at: 1)
      try advance.bind(next.baseChain.bytes, at: 2)
      try advance.run()
      let forget = try open.database.prepare("DELETE FROM writers WHERE writer = ?")
      for writer in forgotten {
        try forget.bind(Chain.bytes(writer), at: 1)
        try forget.run()
      }
      isCommitting = true
      try open.statements.commit.run()
    } catch {
      throw undo(error, open, isCommitting: isCommitting, doing)
    }
    self.head = next
    writers.forget(forgotten)
    checkpointIfDue(open)
    return next.base.message + 1 < place.message
  }

  /// How far one transaction removes entries: the place and hash of the last of them.
  private func end(
    of base: Place,
    before place: Place,
    _ open: Open
  ) throws(SQLiteFailure) -> (Place, Hash) {
    let rows = try open.database.prepare(
      """
      SELECT place, chain, length(body) FROM entries
      WHERE place > ? AND place < ? ORDER BY place LIMIT \(SQLiteCore.entriesAtOnce)
      """
    )
    try rows.bind(Int64(base.message), at: 1)
    try rows.bind(Int64(place.message), at: 2)
    var end: (Place, Hash)?
    var size = 0
    while size < SQLiteCore.bytesAtOnce, try rows.step() {
      guard let chain = Hash(bytes: rows.bytes(1)), rows.integer(0) > 0 else { break }
      end = (Place(UInt64(rows.integer(0))), chain)
      size += Int(rows.integer(2))
    }
    rows.reset()
    guard let end else { throw SQLiteFailure.broken("the entry is missing or has no meaning") }
    return end
  }

  /// Gives some free pages back to the file system; false when few enough are left.
  func giveBackSome() throws(LogError) -> Bool {
    let (open, _) = try opened()
    guard failure == nil else { return false }
    do throws(SQLiteFailure) {
      let free = try open.database.integer("PRAGMA freelist_count")
      let used = try open.database.integer("PRAGMA page_count") - free
      guard free > max(Int64(SQLiteCore.pagesKept), used / 2) else { return false }
      try open.database.execute("PRAGMA incremental_vacuum(\(SQLiteCore.pagesAtOnce))")
    } catch {
      throw undo(error, open, isCommitting: false, "giving back room of \(path)")
    }
    checkpointIfDue(open)
    return true
  }

  private func checkpointIfDue(_ open: Open) {
    if open.database.framesInLog >= checkpointDue { checkpoint() }
  }
}
