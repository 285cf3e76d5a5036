extension SQLiteCore {
  func append(_ batch: Batch) throws(LogError) -> Place {
    let (open, head) = try opened()
    let size = Chain.bodyCount(batch)
    guard size <= options.largestMessage else {
      throw .tooLarge(bytes: size, limit: options.largestMessage)
    }
    if case .known(let last) = try writers.decide(batch) { return try old(batch, last) }
    if let failure { throw .failed(failure) }

    let body = Chain.body(batch)
    var next = head
    next.last = Place(head.last.message + 1)
    next.chain = Chain.next(head.chain, batch, body: body)
    next.time = max(head.time, batch.time)
    let entry = Entry(place: next.last, chain: next.chain, batch: batch)
    let flush = try write(entry, body, next, open)

    self.head = next
    writers.note(batch.writer, n: batch.n, place: next.last, time: next.time)
    open.mark.write(AckedMark.Value(log: next.log, place: next.last, chain: next.chain))
    counts.count(batch, bytes: size, flush: flush)
    arrivals.announce(entry, bytes: size)
    if open.database.framesInLog >= checkpointDue {
      // After the answer has left; another append may be quicker, and that is fine.
      checkpointDue = .max
      Task { checkpoint() }
    }
    return next.last
  }

  /// Writes an entry in one transaction; returns how long the commit took, in nanoseconds.
  private func write(
    _ entry: Entry,
    _ body: [UInt8],
    _ head: Head,
    _ open: Open
  ) throws(LogError) -> UInt64 {
    let statements = open.statements
    let writer = Chain.bytes(entry.batch.writer)
    let (place, n) = (Int64(entry.place.message), Int64(entry.batch.n))
    var isCommitting = false
    do throws(SQLiteFailure) {
      try statements.begin.run()
      let insert = statements.insert
      try insert.bind(place, at: 1)
      try insert.bind(writer, at: 2)
      try insert.bind(n, at: 3)
      try insert.bind(entry.batch.time, at: 4)
      try insert.bind(Int64(entry.batch.format), at: 5)
      try insert.bind(entry.chain.bytes, at: 6)
      try insert.bind(body, at: 7)
      try insert.run()
      try statements.advance.bind(place, at: 1)
      try statements.advance.bind(head.chain.bytes, at: 2)
      try statements.advance.bind(head.time, at: 3)
      try statements.advance.run()
      try statements.noteWriter.bind(writer, at: 1)
      try statements.noteWriter.bind(n, at: 2)
      try statements.noteWriter.bind(place, at: 3)
      try statements.noteWriter.bind(head.time, at: 4)
      try statements.noteWriter.run()
      isCommitting = true
      let begun = LogClock.monotonic()
      try statements.commit.run()
      return LogClock.monotonic() - begun
    } catch {
      throw undo(error, open, isCommitting: isCommitting, "writing place \(place) to \(path)")
    }
  }

  /// Undoes a failed transaction, closes the log for writing when its state is unknown, and says what happened.
  func undo(
    _ error: SQLiteFailure,
    _ open: Open,
    isCommitting: Bool,
    _ doing: String
  ) -> LogError {
    let isUndone = open.database.rollback()
    let logError = error.logError(doing, at: head.map { Place($0.last.message + 1) })
    if error.isHarmless, isUndone { return logError }
    failure = "\(doing): \(error.text)"
    return isCommitting ? .doubtful("\(doing): \(error.text)") : logError
  }

  /// The place of an entry that was appended before.
  private func old(_ batch: Batch, _ last: WriterTable.Last) throws(LogError) -> Place {
    let (open, head) = try opened()
    let row = open.statements.numbered
    var found: (place: Place, body: [UInt8])?
    do throws(SQLiteFailure) {
      try row.bind(Chain.bytes(batch.writer), at: 1)
      try row.bind(Int64(batch.n), at: 2)
      defer { row.reset() }
      if try row.step() { found = (Place(UInt64(row.integer(0))), row.bytes(1)) }
    } catch {
      throw error.logError("reading \(path)")
    }
    if let found {
      guard found.body == Chain.body(batch) else {
        throw .conflict(writer: batch.writer, n: batch.n)
      }
      return found.place
    }
    guard last.n == batch.n else { throw .truncated(first: Place(head.base.message + 1)) }
    return last.place
  }

  /// Moves the write-ahead log into the file.
  func checkpoint() {
    guard let open = current, failure == nil else { return }
    do {
      try open.database.checkpoint(truncating: false)
      checkpointDue = options.checkpointPages
    } catch {
      // The entries are durable in the write-ahead log. Without room it grows until appends find none either.
      checkpointDue = open.database.framesInLog + options.checkpointPages
      if !error.isHarmless { failure = "moving entries into \(path): \(error.text)" }
    }
  }
}
