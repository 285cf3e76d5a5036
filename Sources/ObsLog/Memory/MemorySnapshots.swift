import Synchronization

/// Snapshots that are gone with their process.
final class MemorySnapshots: SnapshotStore {
  private let kept = Mutex<[Place: (snapshot: Snapshot, chunks: [[UInt8]])]>([:])

  func put(_ label: SnapshotLabel, chunks: ChunkSource) async throws -> Snapshot {
    try label.validate()
    var cutter = ChunkCutter()
    var pieces: [[UInt8]] = []
    while let bytes = try await chunks() {
      cutter.add(bytes)
      while let piece = cutter.next(final: false) { pieces.append(piece) }
    }
    if let piece = cutter.next(final: true) { pieces.append(piece) }
    let hasher = label.hasher()
    for piece in pieces { hasher.update(piece) }
    let snapshot = Snapshot(
      label: label,
      chunks: pieces.count,
      bytes: pieces.reduce(0) { $0 + $1.count },
      hash: hasher.finish()
    )
    kept.withLock { [pieces] in $0[label.place] = (snapshot, pieces) }
    return snapshot
  }

  func list() async throws(LogError) -> [Snapshot] {
    kept.withLock { $0.values.map(\.snapshot) }.sorted { $0.label.place < $1.label.place }
  }

  func chunk(_ index: Int, of snapshot: Snapshot) async throws(LogError) -> [UInt8] {
    guard let found = kept.withLock({ $0[snapshot.label.place] }), found.snapshot == snapshot,
      found.chunks.indices.contains(index)
    else { throw .damaged(at: snapshot.label.place, "chunk \(index) of the snapshot is missing") }
    return found.chunks[index]
  }

  func remove(_ place: Place) async throws(LogError) { kept.withLock { $0[place] = nil } }
}
