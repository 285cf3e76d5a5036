public import ObsLog
public import ObsModel

/// When a snapshot is due, and that only one is written at a time.
struct SnapshotSchedule {
  private let options: ReplicaOptions
  private var bytes = 0
  private var last = ContinuousClock.now
  /// Those who wait for the snapshot that is being written.
  var isWriting = false
  var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ options: ReplicaOptions) { self.options = options }

  mutating func isDue(after written: Int) -> Bool {
    bytes += written
    guard !isWriting, bytes > 0 else { return false }
    return bytes >= options.snapshotBytes || ContinuousClock.now - last >= options.snapshotInterval
  }

  mutating func begin() {
    isWriting = true
    bytes = 0
    last = .now
  }
}

extension Replica {
  /// The most of a snapshot that one turn makes.
  private static let pieceBytes = 256 * 1024
  private static let pieceTime = Duration.milliseconds(2)

  /// Writes a snapshot of the state of now while commits go on, and cuts the log behind the oldest one that is kept.
  ///
  /// - Throws: what the log's snapshots throw; the log is as it was then.
  @discardableResult
  public func snapshot() async throws(LogError) -> Snapshot {
    let lines = await beginLines()
    defer { endLines(lines) }
    let snapshot = try await Self.put(lines, beside: log) { self.piece(of: lines) }
    figures.update {
      $0.snapshotAt = .now
      $0.snapshotBytes = snapshot.bytes
    }
    try await prune()
    return snapshot
  }

  /// Stores the lines of a state; `pieces` hands them out.
  static func put(
    _ lines: ReplicaState.Lines,
    beside log: any CommitLog,
    _ pieces: ChunkSource
  ) async throws(LogError) -> Snapshot {
    let label = SnapshotLabel(
      place: lines.place,
      chain: lines.chain,
      digest: [],
      format: ReplicaState.snapshotFormat
    )
    do {
      return try await log.snapshots.put(label, chunks: pieces)
    } catch let error as LogError { throw error } catch { throw .io("\(error)") }
  }

  func snapshotSoon() {
    Task {
      let result: Result<Snapshot, any Error>
      do { result = .success(try await snapshot()) } catch { result = .failure(error) }
      options.onSnapshot(result)
    }
  }

  /// Keeps the newest snapshots, and the log behind the oldest of them.
  private func prune() async throws(LogError) {
    let all = try await log.snapshots.list()
    let kept = all.suffix(max(1, options.keptSnapshots))
    for old in all.dropLast(kept.count) { try await log.snapshots.remove(old.label.place) }
    if all.count >= options.keptSnapshots, let oldest = kept.first {
      try await log.truncate(before: Place(oldest.label.place.message + 1))
    }
    note(try await log.info())
  }

  // MARK: Backups

  /// A copy of the state as it is when the first piece is asked for: a snapshot for a file (docs/LOG.md, "Backups").
  @ObsActor
  public final class Backup {
    private let replica: Replica
    private var lines: ReplicaState.Lines?
    private var isBegun = false

    fileprivate init(_ replica: Replica) { self.replica = replica }

    /// The next piece, whole lines of at most about 256 KiB; nil after the last.
    public func next() async -> [UInt8]? {
      if !isBegun {
        isBegun = true
        lines = await replica.beginLines()
      }
      guard let lines else { return nil }
      if let piece = replica.piece(of: lines) { return piece }
      end()
      return nil
    }

    /// Lets go of the state before the end.
    public func end() {
      if let lines { replica.endLines(lines) }
      lines = nil
    }
  }

  /// Begins a backup; waits for a snapshot that is being written.
  public func backup() -> Backup { Backup(self) }

  // MARK: Lines

  private func beginLines() async -> ReplicaState.Lines {
    while snapshots.isWriting {
      await withCheckedContinuation { snapshots.waiting.append($0) }
    }
    snapshots.begin()
    return state.lines()
  }

  private func endLines(_ lines: ReplicaState.Lines) {
    lines.end()
    snapshots.isWriting = false
    let waiting = snapshots.waiting
    snapshots.waiting = []
    for waiter in waiting { waiter.resume() }
  }

  /// Some lines, for one turn.
  private func piece(of lines: ReplicaState.Lines) -> [UInt8]? {
    let begun = ContinuousClock.now
    var piece: [UInt8] = []
    while piece.count < Self.pieceBytes, ContinuousClock.now - begun < Self.pieceTime {
      guard let line = lines.next() else { break }
      piece += line
    }
    return piece.isEmpty ? nil : piece
  }
}
