import FoundationEssentials

/// The snapshots of a ``SQLiteLog``, in a file of their own.
final class SQLiteSnapshots: SnapshotStore {
  let core: SnapshotCore

  init(_ directory: String, _ options: SQLiteLog.Options) throws(LogError) {
    core = try SnapshotCore(directory, options)
  }

  func put(_ label: SnapshotLabel, chunks: ChunkSource) async throws -> Snapshot {
    try label.validate()
    let id = try await core.begin(label)
    do {
      while let bytes = try await chunks() {
        try Task.checkCancellation()
        try await core.add(bytes, to: id)
      }
      return try await core.finish(id)
    } catch {
      await core.abandon(id)
      throw error
    }
  }

  func list() async throws(LogError) -> [Snapshot] { try await core.list() }

  func chunk(_ index: Int, of snapshot: Snapshot) async throws(LogError) -> [UInt8] {
    try await core.chunk(index, of: snapshot)
  }

  func remove(_ place: Place) async throws(LogError) {
    try await core.remove(place)
    while try await core.giveBackSome() {}
  }
}
