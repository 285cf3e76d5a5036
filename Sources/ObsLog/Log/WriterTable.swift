import FoundationEssentials

/// The last batch of each writer: what makes an append happen once.
struct WriterTable {
  struct Last: Hashable {
    var n: UInt64
    var place: Place
    /// Log time of that batch, in milliseconds.
    var time: Int64
  }

  /// What is to be done with a batch.
  enum Decision {
    /// It is the next of its writer.
    case append
    /// Its number was used: answer with the old place if that entry is the same.
    case known(Last)
  }

  /// A writer is forgotten this long, in log time, after its last entry, when that entry is removed.
  static let memoryMilliseconds: Int64 = 24 * 3600 * 1000

  private(set) var last: [UUID: Last] = [:]

  func decide(_ batch: Batch) throws(LogError) -> Decision {
    let expected = (last[batch.writer]?.n ?? 0) + 1
    if batch.n == expected { return .append }
    guard batch.n > 0, batch.n < expected, let last = last[batch.writer] else {
      throw .outOfOrder(expected: expected)
    }
    return .known(last)
  }

  mutating func note(_ writer: UUID, n: UInt64, place: Place, time: Int64) {
    last[writer] = Last(n: n, place: place, time: time)
  }

  /// The writers that may be forgotten when the log begins after `base`.
  func forgettable(base: Place, now: Int64) -> [UUID] {
    last.filter { _, last in
      last.place <= base && now - last.time > WriterTable.memoryMilliseconds
    }.map(\.key)
  }

  mutating func forget(_ writers: [UUID]) {
    for writer in writers { last[writer] = nil }
  }
}
