/// The newest entries of a log, in order, a few MiB of them.
struct RecentEntries {
  private(set) var entries: [Entry] = []
  private var bytes = 0

  mutating func add(_ entry: Entry, bytes size: Int) {
    entries.append(entry)
    bytes += size
    guard bytes > 4 * ReadLimit.bytes || entries.count > 4 * ReadLimit.entries else { return }
    var removed = 0
    while bytes > 2 * ReadLimit.bytes || entries.count - removed > 2 * ReadLimit.entries,
      removed < entries.count
    {
      bytes -= Chain.bodyCount(entries[removed].batch)
      removed += 1
    }
    entries.removeFirst(removed)
  }

  /// The entries after a place; nil when some of them are not here.
  func after(_ place: Place) -> ArraySlice<Entry>? {
    guard let first = entries.first, place.message + 1 >= first.place.message else { return nil }
    return entries.dropFirst(Int(place.message + 1 - first.place.message))
  }
}
