public import ObsLog
public import ObsModel
public import ObsWire
import Synchronization

/// The document that a log comes to, kept up to date: commits go to the log first, then they are applied and answered.
///
///     let replica = try await Replica.open(SQLiteLog(directory: "data"))
///     try await server.host(replica)
///
/// A commit is answered when it is durable and applied; what decides whether it is accepted is decided then, in the order of
/// the log. So nothing that was answered is lost, and a replay decides as the first time did.
@ObsActor
public final class Replica {
  /// Hears what became of a commit: its place, or why it was refused.
  public typealias Answer = @ObsActor (Result<Int64, WireError>) -> Void

  nonisolated let log: any CommitLog
  let options: ReplicaOptions
  private(set) var state: ReplicaState
  nonisolated let figures = Figures()
  private var queue: GroupCommit
  private var info: LogInfo
  private var waiting: [UInt64: Waiting] = [:]
  /// Commits that were submitted in this turn and not handed to the log yet.
  private var outgoing: [(ticket: UInt64, bytes: CommitBytes)] = []
  private var nextTicket = UInt64.random(in: .min ... .max)
  private var following: Task<Void, Never>?
  private var watching: Task<Void, Never>?
  private var probing: Task<Void, Never>?
  private var isClosed = false
  /// Why the next entry cannot be applied: as long as it cannot, no commit can be answered.
  private var stuck: LogError?
  var snapshots: SnapshotSchedule

  /// A commit that is on its way to the log and back.
  private struct Waiting {
    let record: CommitRecord
    let answer: Answer
    let since: ContinuousClock.Instant
  }

  init(_ log: any CommitLog, _ info: LogInfo, _ state: ReplicaState, _ options: ReplicaOptions) {
    self.log = log
    self.info = info
    self.state = state
    self.options = options
    queue = GroupCommit(log: log, info: info, format: CommitRecord.format)
    snapshots = SnapshotSchedule(options)
    following = Task { await self.follow() }
  }

  /// The document; changed by the log alone.
  public var document: Document { state.document }

  /// What was done up to now; from any thread.
  public nonisolated var now: ReplicaFigures { figures.now }

  /// What the log has done; from any thread.
  public nonisolated var logCounters: LogCounters { log.counters }

  /// What the log is, and what an answered commit survives.
  public var logInfo: LogInfo { info }

  // MARK: Commits

  /// Has a commit written and applied; `answer` is called in the turn that applies it.
  ///
  /// One with a key that was answered before is answered at once, and not applied again.
  public func submit(_ record: CommitRecord, _ answer: @escaping Answer) {
    if let known = state.answer(to: record) {
      figures.update { $0.idempotentHits += 1 }
      return answer(known)
    }
    if let trouble = figures.trouble { return answer(.failure(.commitsRefused(trouble))) }
    nextTicket &+= 1
    let ticket = nextTicket
    waiting[ticket] = Waiting(record: record, answer: answer, since: .now)
    outgoing.append((ticket, Ticketed.bytes(ticket, record.json)))
    watch()
    guard outgoing.count == 1 else { return }
    // Behind the jobs that wait already, which may have commits, too: all of them share an fsync.
    ObsActor.executor.submit { ObsActor.assumeIsolated { self.send() } }
  }

  /// Hands to the log what was submitted since the last time.
  private func send() {
    let commits = outgoing.map {
      ticket,
      bytes -> (bytes: CommitBytes, answer: GroupCommit.Answer) in
      let answer: GroupCommit.Answer = { result in
        guard case .failure(let error) = result else { return }
        ObsActor.executor.submit { ObsActor.assumeIsolated { self.failed(ticket, error) } }
      }
      return (bytes, answer)
    }
    outgoing.removeAll(keepingCapacity: true)
    queue.submit(commits)
  }

  /// Has a commit written and applied.
  ///
  /// - Returns: its place in the log.
  /// - Throws: why it was refused.
  public func commit(_ record: CommitRecord) async throws(WireError) -> Int64 {
    let result = await withCheckedContinuation { continuation in
      submit(record) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  private func failed(_ ticket: UInt64, _ error: LogError) {
    if error.stopsWriting { stumble(error) }
    waiting.removeValue(forKey: ticket)?.answer(.failure(error.wire))
  }

  // MARK: The log

  /// Applies what the log says, for ever.
  private func follow() async {
    var pause = Duration.milliseconds(100)
    while !isClosed {
      do throws(LogError) {
        var entries = try await log.follow(after: state.place, chain: state.chain)
          .makeAsyncIterator()
        while let some = try await entries.next() {
          pause = .milliseconds(100)
          for entry in some {
            try applyOrStop(entry)
            await Task.yield()
          }
        }
      } catch {
        stumble(error)
      }
      if isClosed { return }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  private func applyOrStop(_ entry: Entry) throws(LogError) {
    do throws(LogError) {
      try apply(entry)
      stuck = nil
    } catch {
      stuck = error
      throw error
    }
  }

  /// Applies an entry, or leaves the state as it is.
  ///
  /// - Throws: why the entry cannot be applied; what comes behind it must not be then.
  private func apply(_ entry: Entry) throws(LogError) {
    try entry.checkFormat()
    var commits: [(ticket: UInt64?, record: CommitRecord)] = []
    var bytes = 0
    for commit in entry.batch.commits {
      bytes += commit.count
      let ticket = Ticketed.ticket(commit)
      do throws(CommitError) {
        if let own = ticket.flatMap({ waiting[$0]?.record }) {
          commits.append((ticket, own))
        } else if let record = try Ticketed.record(Ticketed.json(commit)) {
          commits.append((ticket, record))
        }
      } catch { throw .damaged(at: entry.place, error.message) }
    }
    state.begin(entry)
    var (applied, refused) = (0, 0)
    for (ticket, record) in commits {
      let result = state.apply(record)
      if case .success = result { applied += 1 } else { refused += 1 }
      ticket.flatMap { waiting.removeValue(forKey: $0) }?.answer(result)
    }
    state.end(entry)
    figures.update {
      $0.applied += applied
      $0.refused += refused
      $0.logBytes += bytes
      $0.remembered = state.rememberedAnswers
    }
    if snapshots.isDue(after: bytes) { snapshotSoon() }
  }

  /// Answers those for whom it takes too long; what becomes of their commits is not known then.
  private func watch() {
    guard watching == nil else { return }
    watching = Task {
      while !waiting.isEmpty, !isClosed {
        try? await Task.sleep(for: .seconds(1))
        let limit = ContinuousClock.now - options.commitTimeout
        for (ticket, late) in waiting where late.since < limit {
          waiting[ticket] = nil
          late.answer(.failure(LogError.doubtful("the log takes too long").wire))
        }
      }
      watching = nil
    }
  }

  // MARK: Trouble

  /// The log does not take commits, or does not tell of them: says so, and tries until it does.
  private func stumble(_ error: LogError) {
    guard error != .closed || !isClosed else { return }
    let isNew = figures.trouble == nil
    figures.update { $0.trouble = error.description }
    guard isNew, !isClosed else { return }
    options.onTrouble(error.description)
    probing?.cancel()
    probing = Task {
      var pause = Duration.milliseconds(500)
      while !isClosed, !Task.isCancelled, figures.trouble != nil {
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(10))
        await recover()
      }
    }
  }

  private func recover() async {
    do throws(LogError) {
      info = try await log.open()
      try await log.check(state.place, chain: state.chain)
      // Behind what was in doubt: when this is in, the log takes commits again.
      nextTicket &+= 1
      _ = try await queue.commit(Ticketed.bytes(nextTicket, Ticketed.probe))
      if let stuck { throw stuck }
      figures.update { $0.trouble = nil }
      options.onTrouble(nil)
    } catch {
      figures.update { $0.trouble = error.description }
    }
  }

  // MARK: The end

  /// Takes no more commits, waits for those that were sent, and closes the log.
  public func close() async {
    send()
    await queue.finish()
    isClosed = true
    // A recovery that is under way would open the log again.
    probing?.cancel()
    await probing?.value
    await log.close()
    await following?.value
    for late in waiting.values { late.answer(.failure(LogError.closed.wire)) }
    waiting = [:]
  }

  func note(_ info: LogInfo) {
    self.info = info
    figures.update { $0.logBytes = info.bytes }
  }
}
