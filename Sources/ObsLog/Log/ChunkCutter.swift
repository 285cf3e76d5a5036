/// Cuts pieces of any size into chunks of ``SnapshotLimit/chunk`` bytes; the last may be shorter.
struct ChunkCutter {
  private var pending: [UInt8] = []
  private var taken = 0

  mutating func add(_ bytes: [UInt8]) {
    pending.removeFirst(taken)
    taken = 0
    pending += bytes
  }

  /// The next chunk; a short one only when nothing more comes.
  mutating func next(final: Bool) -> [UInt8]? {
    let count = min(pending.count - taken, SnapshotLimit.chunk)
    guard count == SnapshotLimit.chunk || (final && count > 0) else { return nil }
    defer { taken += count }
    return Array(pending[taken..<taken + count])
  }
}

extension SnapshotLabel {
  func validate() throws(LogError) {
    guard digest.count <= SnapshotLimit.digest else {
      throw .tooLarge(bytes: digest.count, limit: SnapshotLimit.digest)
    }
  }

  /// Begins the hash of a snapshot: its label comes first.
  func hasher() -> SHA256 {
    var bytes: [UInt8] = []
    bytes.append(integer: place.message)
    bytes += chain.bytes
    bytes.append(integer: UInt8(digest.count))
    bytes += digest
    bytes.append(integer: format)
    let hasher = SHA256()
    hasher.update(bytes)
    return hasher
  }
}
