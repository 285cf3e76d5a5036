import FoundationEssentials

/// The entries of a ``MemoryLog``.
actor MemoryCore: EntryReader {
  nonisolated let counts = LogCounts()

  private let id: UUID
  private let largestMessage: Int
  private let arrivals: Arrivals
  private var isOpen = false
  private var base = Place.start
  private var baseChain: Hash
  private var entries: [Entry] = []
  private var bytes = 0
  private var time: Int64 = 0
  private var writers = WriterTable()

  init(id: UUID, largestMessage: Int, arrivals: Arrivals) {
    self.id = id
    self.largestMessage = largestMessage
    self.arrivals = arrivals
    baseChain = Chain.genesis(log: id)
  }

  private var last: Place { entries.last?.place ?? base }
  private var chain: Hash { entries.last?.chain ?? baseChain }

  func open() -> LogInfo {
    if isOpen { close() }
    isOpen = true
    arrivals.begin(last)
    return description
  }

  func close() {
    isOpen = false
    arrivals.finish()
  }

  func info() throws(LogError) -> LogInfo {
    guard isOpen else { throw .closed }
    return description
  }

  private var description: LogInfo {
    LogInfo(
      id: id,
      base: base,
      baseChain: baseChain,
      last: last,
      chain: chain,
      time: time,
      survives: .nothing,
      largestMessage: largestMessage,
      bytes: bytes
    )
  }

  func append(_ batch: Batch) throws(LogError) -> Place {
    guard isOpen else { throw .closed }
    let size = Chain.bodyCount(batch)
    guard size <= largestMessage else { throw .tooLarge(bytes: size, limit: largestMessage) }
    if case .known(let known) = try writers.decide(batch) { return try old(batch, known) }
    let entry = Entry(
      place: Place(last.message + 1),
      chain: Chain.next(chain, batch),
      batch: batch
    )
    entries.append(entry)
    bytes += size
    time = max(time, batch.time)
    writers.note(batch.writer, n: batch.n, place: entry.place, time: time)
    counts.count(batch, bytes: size, flush: 0)
    arrivals.announce(entry, bytes: Chain.bodyCount(entry.batch))
    return entry.place
  }

  /// The place of an entry that was appended before.
  private func old(_ batch: Batch, _ last: WriterTable.Last) throws(LogError) -> Place {
    let same = entries.last { $0.batch.writer == batch.writer && $0.batch.n == batch.n }
    if let same {
      guard same.batch == batch else { throw .conflict(writer: batch.writer, n: batch.n) }
      return same.place
    }
    guard last.n == batch.n else { throw .truncated(first: Place(base.message + 1)) }
    return last.place
  }

  func check(_ place: Place, chain: Hash) throws(LogError) {
    guard isOpen else { throw .closed }
    guard place >= base else { throw .truncated(first: Place(base.message + 1)) }
    let offset = place.message - base.message
    guard offset <= UInt64(entries.count),
      chain == (offset == 0 ? baseChain : entries[Int(offset) - 1].chain)
    else { throw .forked(at: place) }
  }

  func read(after place: Place, chain: Hash) throws(LogError) -> [Entry] {
    try check(place, chain: chain)
    var found: [Entry] = []
    var size = 0
    for entry in entries.dropFirst(Int(place.message - base.message)).prefix(ReadLimit.entries) {
      size += Chain.bodyCount(entry.batch)
      if size > ReadLimit.bytes, !found.isEmpty { break }
      found.append(entry)
    }
    return found
  }

  func truncate(before place: Place) throws(LogError) {
    guard isOpen else { throw .closed }
    guard place.message <= last.message + 1 else { throw .forked(at: place) }
    guard place.message > base.message + 1 else { return }
    let removed = entries.prefix(Int(place.message - base.message - 1))
    guard let newest = removed.last else { return }
    for entry in removed { bytes -= Chain.bodyCount(entry.batch) }
    (base, baseChain) = (newest.place, newest.chain)
    entries.removeFirst(removed.count)
    writers.forget(writers.forgettable(base: base, now: time))
  }

  func verify() throws(LogError) -> Verification {
    guard isOpen else { throw .closed }
    var result = Verification()
    var chain = baseChain
    for entry in entries {
      chain = Chain.next(chain, entry.batch)
      if chain != entry.chain {
        result.note(.damaged(at: entry.place, "the entry does not have its hash"))
        chain = entry.chain
      }
      result.entries += 1
      result.commits += entry.batch.commits.count
    }
    return result
  }
}
