public import ObsLog
import ObsModel
public import ObsWire

/// How far the opening of a replica has come.
public enum ReplicaProgress: Sendable, Equatable {
  /// Bytes of a snapshot.
  case loading(done: Int, of: Int)
  /// Entries of the log behind it.
  case replaying(done: Int, of: Int)
}

extension Replica {
  /// Opens a log, loads its newest snapshot, and replays what comes behind it.
  ///
  /// - Parameters:
  ///   - log: the log; it is opened here and closed by ``close()``.
  ///   - options: how the replica behaves.
  ///   - progress: hears how far it is, now and then.
  /// - Returns: the replica, which follows the log.
  /// - Throws: why the log cannot be opened, or what in it is damaged; the log is closed then.
  public static func open(
    _ log: any CommitLog,
    _ options: ReplicaOptions = ReplicaOptions(),
    progress: (ReplicaProgress) -> Void = { _ in }
  ) async throws(LogError) -> Replica {
    let begun = ContinuousClock.now
    do throws(LogError) {
      let info = try await log.open()
      let (loaded, snapshot) = try await load(log, info, progress)
      let replayed = try await replay(log, into: loaded, to: info.last, progress)
      let replica = Replica(log, info, loaded, options)
      // What was replayed is to be in a snapshot one day, however often the process is restarted.
      if replica.snapshots.isDue(after: replayed.bytes) { replica.snapshotSoon() }
      replica.figures.update {
        $0.replaySeconds = (ContinuousClock.now - begun) / .seconds(1)
        $0.replayed = replayed.commits
        $0.logBytes = info.bytes
        $0.remembered = loaded.rememberedAnswers
        $0.snapshotBytes = snapshot?.bytes ?? 0
      }
      return replica
    } catch {
      await log.close()
      throw error
    }
  }

  /// Puts the content of a backup into a new, empty log.
  ///
  /// - Parameters:
  ///   - log: a log without entries and snapshots; it has an id of its own. Opened and closed here.
  ///   - chunks: hands out the bytes of the backup, nil at the end.
  /// - Returns: the place (`seq`) of the last commit in it.
  /// - Throws: ``LogError/damaged(at:_:)`` for bytes that are no whole backup, and then nothing is written;
  ///   ``LogError/foreign(_:)`` for a log that is not empty.
  @discardableResult
  public static func restore(
    into log: any CommitLog,
    _ chunks: () throws -> [UInt8]?
  ) async throws(LogError) -> Int64 {
    try await begin(log) { (info) throws(LogError) in
      let restoration = ReplicaState.Restoration(at: .start, info.chain)
      var lines = LineCutter()
      do {
        while let chunk = try chunks() {
          for line in lines.cut(chunk) { try restoration.take(line) }
        }
        guard lines.isAtEnd else { throw CommitError(.invalidValue, "the last line has no end") }
      } catch let error as LogError { throw error } catch {
        throw .damaged(at: nil, "the backup: \(error)")
      }
      return try finish(restoration, "the backup")
    }
  }

  /// Puts a first document into a new, empty log.
  ///
  /// - Parameters:
  ///   - log: a log without entries and snapshots. Opened and closed here.
  ///   - json: the document.
  /// - Throws: ``LogError/damaged(at:_:)`` for a document that cannot be one; ``LogError/foreign(_:)`` for a log that is not
  ///   empty.
  public static func seed(_ log: any CommitLog, with json: JSON) async throws(LogError) {
    _ = try await begin(log) { (info) throws(LogError) in
      do throws(CommitError) {
        return ReplicaState(try Document(json), AnswerMemory(), at: .start, info.chain)
      } catch { throw .damaged(at: nil, "\(error.pointer ?? ""): \(error.message)") }
    }
  }

  /// What ``LogError/foreign(_:)`` says of a log that is not empty.
  public nonisolated static let holdsData = "the log holds data already"

  private static func begin(
    _ log: any CommitLog,
    with content: (LogInfo) throws(LogError) -> ReplicaState
  ) async throws(LogError) -> Int64 {
    do throws(LogError) {
      let info = try await log.open()
      guard info.last == .start, try await log.snapshots.newest() == nil else {
        throw .foreign(holdsData)
      }
      let state = try content(info)
      let lines = state.lines()
      _ = try await put(lines, beside: log) { lines.next() }
      _ = try await GroupCommit(log: log, info: info, format: CommitRecord.format)
        .commit(Ticketed.bytes(0, Ticketed.begun))
      await log.close()
      return state.document.seq
    } catch {
      await log.close()
      throw error
    }
  }

  // MARK: Steps

  /// The newest snapshot that is whole, or the beginning of the log.
  static func load(
    _ log: any CommitLog,
    _ info: LogInfo,
    _ progress: (ReplicaProgress) -> Void
  ) async throws(LogError) -> (ReplicaState, Snapshot?) {
    var failure: LogError?
    for snapshot in try await log.snapshots.list().reversed() {
      do throws(LogError) {
        return (try await load(log, snapshot, progress), snapshot)
      } catch {
        guard case .damaged = error else { throw error }
        failure = failure ?? error
      }
    }
    guard info.base == .start else {
      throw failure
        ?? .damaged(at: info.base, "the log begins here, but no snapshot holds what was before")
    }
    do throws(CommitError) {
      return (try ReplicaState(at: .start, info.baseChain), nil)
    } catch { throw .io("\(error)") }
  }

  static func load(
    _ log: any CommitLog,
    _ snapshot: Snapshot,
    _ progress: (ReplicaProgress) -> Void = { _ in }
  ) async throws(LogError) -> ReplicaState {
    guard snapshot.label.format <= ReplicaState.snapshotFormat else {
      throw .newerFormat(
        found: Int(snapshot.label.format),
        known: Int(ReplicaState.snapshotFormat),
        "the snapshot at place \(snapshot.label.place)"
      )
    }
    let restoration = ReplicaState.Restoration(at: snapshot.label.place, snapshot.label.chain)
    var reader = log.snapshots.read(snapshot)
    var lines = LineCutter()
    var done = 0
    let what = "the snapshot at place \(snapshot.label.place)"
    while let chunk = try await reader.next() {
      done += chunk.count
      do {
        for line in lines.cut(chunk) {
          try restoration.take(line)
        }
      } catch { throw .damaged(at: snapshot.label.place, "\(what): \(error)") }
      progress(.loading(done: done, of: snapshot.bytes))
    }
    return try finish(restoration, what)
  }

  private static func finish(
    _ restoration: ReplicaState.Restoration,
    _ what: String
  ) throws(LogError) -> ReplicaState {
    do throws(CommitError) { return try restoration.state() } catch {
      throw .damaged(at: nil, "\(what): \(error.message)")
    }
  }

  /// Applies the entries up to a place; says how many commits that were, and their bytes.
  @discardableResult
  static func replay(
    _ log: any CommitLog,
    into state: ReplicaState,
    to last: Place,
    _ progress: (ReplicaProgress) -> Void = { _ in }
  ) async throws(LogError) -> (commits: Int, bytes: Int) {
    let first = state.place
    var (commits, bytes) = (0, 0)
    guard first < last else { return (0, 0) }
    var entries = try await log.follow(after: first, chain: state.chain).makeAsyncIterator()
    while let some = try await entries.next() {
      for entry in some {
        try entry.checkFormat()
        do throws(CommitError) { try state.replay(entry) } catch {
          throw .damaged(at: entry.place, error.message)
        }
        commits += entry.batch.commits.count
        bytes += entry.batch.commits.reduce(0) { $0 + $1.count }
        if entry.place >= last { break }
      }
      let (done, all) = (state.place.message - first.message, last.message - first.message)
      progress(.replaying(done: Int(done), of: Int(all)))
      if state.place >= last { return (commits, bytes) }
    }
    throw .closed
  }
}

/// Cuts bytes into lines; what follows the last line end waits for more.
struct LineCutter {
  private var rest: [UInt8] = []

  var isAtEnd: Bool { rest.isEmpty }

  mutating func cut(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(rest + bytes[start..<end])
      rest = []
      start = end + 1
    }
    rest += bytes[start...]
    return lines
  }
}
