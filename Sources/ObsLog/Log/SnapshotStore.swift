/// Hands out the pieces of a snapshot while it is written; nil after the last.
///
/// Pieces may have any size; a store cuts them at ``SnapshotLimit/chunk``. It is called where `put` was called.
public typealias ChunkSource = () async throws -> [UInt8]?

/// What the writer of a snapshot says about it.
public struct SnapshotLabel: Hashable, Sendable {
  /// The snapshot holds the state after this entry.
  public var place: Place
  /// The log's hash at `place`.
  public var chain: Hash
  /// The digest of that state, in the writer's own terms; at most 64 bytes.
  public var digest: [UInt8]
  /// The form of the bytes, in the writer's own terms.
  public var format: UInt16

  /// Makes a label.
  public init(place: Place, chain: Hash, digest: [UInt8], format: UInt16) {
    self.place = place
    self.chain = chain
    self.digest = digest
    self.format = format
  }
}

/// A snapshot that is whole and durable.
public struct Snapshot: Hashable, Sendable {
  /// What its writer said.
  public var label: SnapshotLabel
  /// The number of chunks.
  public var chunks: Int
  /// The number of bytes in all of them.
  public var bytes: Int
  /// SHA-256 over the label and these bytes (docs/LOG.md, "Snapshots").
  public var hash: Hash

  /// Makes a description of a snapshot.
  public init(label: SnapshotLabel, chunks: Int, bytes: Int, hash: Hash) {
    self.label = label
    self.chunks = chunks
    self.bytes = bytes
    self.hash = hash
  }
}

/// What bounds the parts of snapshots.
public enum SnapshotLimit {
  /// The most bytes of one chunk.
  public static let chunk = 1 << 20
  /// The most bytes of a digest in a label.
  public static let digest = 64
}

/// Snapshots beside a log: at most one for each place, visible when whole.
public protocol SnapshotStore: Sendable {
  /// Writes a snapshot while the log goes on; when it returns, the snapshot is durable.
  ///
  /// One of the same place is replaced. When `chunks` throws, nothing is left and the error is passed on.
  /// - Throws: ``LogError``, or what `chunks` throws.
  func put(_ label: SnapshotLabel, chunks: ChunkSource) async throws -> Snapshot

  /// All snapshots, the newest place last.
  func list() async throws(LogError) -> [Snapshot]

  /// One chunk, checked against its hash; the first is 0.
  func chunk(_ index: Int, of snapshot: Snapshot) async throws(LogError) -> [UInt8]

  /// Removes the snapshot of a place, if there is one.
  func remove(_ place: Place) async throws(LogError)
}

extension SnapshotStore {
  /// The snapshot of the highest place.
  public func newest() async throws(LogError) -> Snapshot? { try await list().last }

  /// Reads a snapshot from its beginning.
  public func read(_ snapshot: Snapshot) -> SnapshotReader { SnapshotReader(self, snapshot) }
}

/// Reads a snapshot chunk by chunk; every chunk is checked before it is handed out, and the whole at the end.
///
/// What was read is good when `next()` has answered nil, not before.
public struct SnapshotReader: ~Copyable {
  private let store: any SnapshotStore
  private let snapshot: Snapshot
  private let hasher: SHA256
  private var index = 0
  private var bytes = 0
  private var isDone = false

  init(_ store: any SnapshotStore, _ snapshot: Snapshot) {
    self.store = store
    self.snapshot = snapshot
    hasher = snapshot.label.hasher()
  }

  /// The next chunk; nil after the last, when the whole has proved right.
  /// - Throws: ``LogError/damaged(at:_:)`` with the snapshot's place.
  public mutating func next() async throws(LogError) -> [UInt8]? {
    guard index < snapshot.chunks else {
      if isDone { return nil }
      isDone = true
      guard bytes == snapshot.bytes, hasher.finish() == snapshot.hash else {
        throw .damaged(at: snapshot.label.place, "the snapshot's bytes do not have its hash")
      }
      return nil
    }
    let chunk = try await store.chunk(index, of: snapshot)
    index += 1
    bytes += chunk.count
    hasher.update(chunk)
    return chunk
  }
}

/// Hashes bytes that come piece by piece, with SHA-256.
public final class RunningHash {
  private let hasher: SHA256

  /// Begins with nothing.
  public init() { hasher = SHA256() }

  /// Begins with a label: the hash becomes that of the snapshot with this label and the bytes that follow.
  public init(_ label: SnapshotLabel) { hasher = label.hasher() }

  /// Takes the next bytes.
  public func update(_ bytes: [UInt8]) { hasher.update(bytes) }

  /// The hash of all; nothing may be done with it afterwards.
  public func finish() -> Hash { hasher.finish() }
}
