import Synchronization

/// Reads a stretch of entries of a log that is in this process.
protocol EntryReader: Sendable {
  /// Some entries after a place, checked against the hash there; empty at the end of the log.
  func read(after place: Place, chain: Hash) async throws(LogError) -> [Entry]
}

/// The position of one reader in a log.
final class Follower: Sendable {
  private let reader: any EntryReader
  private let arrivals: Arrivals
  private let position: Mutex<(place: Place, chain: Hash)>

  init(_ reader: any EntryReader, _ arrivals: Arrivals, after place: Place, chain: Hash) {
    self.reader = reader
    self.arrivals = arrivals
    position = Mutex((place, chain))
  }

  var entries: Entries { Entries { () async throws(LogError) in try await self.next() } }

  private func next() async throws(LogError) -> [Entry]? {
    while !Task.isCancelled {
      let (place, chain) = position.withLock { $0 }
      let entries: [Entry]
      if let recent = arrivals.recent(after: place), !recent.isEmpty {
        entries = recent
      } else {
        do {
          entries = try await reader.read(after: place, chain: chain)
        } catch LogError.closed {
          return nil
        }
      }
      if let last = entries.last {
        position.withLock { $0 = (last.place, last.chain) }
        return entries
      }
      guard await arrivals.wait(beyond: place) else { return nil }
    }
    return nil
  }
}

/// How much one read of a follower returns.
enum ReadLimit {
  static let entries = 512
  static let bytes = 1 << 20

  /// As many of some entries as one read returns.
  static func part(of all: ArraySlice<Entry>) -> [Entry] {
    var entries: [Entry] = []
    var size = 0
    for entry in all.prefix(ReadLimit.entries) {
      size += Chain.bodyCount(entry.batch)
      if size > ReadLimit.bytes, !entries.isEmpty { break }
      entries.append(entry)
    }
    return entries
  }
}
