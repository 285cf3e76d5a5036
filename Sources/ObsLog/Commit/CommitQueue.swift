import FoundationEssentials

/// What waits to be appended, and what is on its way: the state of ``GroupCommit``, pure.
struct CommitQueue {
  struct Waiting {
    var bytes: CommitBytes
    var answer: GroupCommit.Answer
  }

  /// A batch on its way to the log.
  struct Closed {
    var batch: Batch
    /// Who hears of it; nobody when it is sent again after a doubt.
    var answers: [GroupCommit.Answer]
  }

  private let limits: GroupCommit.Limits
  private let format: UInt16
  private let largestMessage: Int
  private(set) var writer: UUID
  private(set) var n: UInt64 = 0
  private(set) var isRunning = false
  private(set) var isFinished = false
  private(set) var counters = GroupCommitCounters()
  private var waiting: [Waiting] = []
  /// Commits and bytes that were admitted and not answered.
  private var unanswered = (commits: 0, bytes: 0)
  /// A batch of which the log did not know whether it is in: nothing may go before it.
  private var doubtful: Batch?

  init(
    writer: UUID,
    format: UInt16,
    largestMessage: Int,
    limits: GroupCommit.Limits
  ) {
    self.writer = writer
    self.format = format
    self.largestMessage = largestMessage
    self.limits = limits
  }

  /// Admits a commit; true when nothing runs yet that will take it.
  mutating func admit(
    _ bytes: CommitBytes,
    _ answer: @escaping GroupCommit.Answer
  ) throws(LogError) -> Bool {
    guard !isFinished else { throw .closed }
    let alone = bytes.count + 8
    guard alone <= largestMessage else { throw .tooLarge(bytes: alone, limit: largestMessage) }
    guard unanswered.commits < limits.queuedCommits,
      unanswered.commits == 0 || unanswered.bytes + bytes.count <= limits.queuedBytes
    else {
      counters.refused += 1
      throw .busy(retryAfter: limits.retryAfter)
    }
    unanswered.commits += 1
    unanswered.bytes += bytes.count
    waiting.append(Waiting(bytes: bytes, answer: answer))
    defer { isRunning = true }
    return !isRunning
  }

  /// Closes the next batch; nil when nothing waits, and then nothing runs.
  mutating func close(time: Int64) -> Closed? {
    guard !waiting.isEmpty else {
      isRunning = false
      return nil
    }
    if let doubtful { return Closed(batch: doubtful, answers: []) }
    var size = 4
    var count = 0
    for commit in waiting {
      size += commit.bytes.count + 4
      if count > 0, size > min(limits.batchBytes, largestMessage) || count == limits.batchCommits {
        break
      }
      count += 1
    }
    let taken = waiting.prefix(count)
    waiting.removeFirst(count)
    let batch = Batch(
      writer: writer,
      n: n + 1,
      time: time,
      format: format,
      commits: taken.map(\.bytes)
    )
    return Closed(batch: batch, answers: taken.map(\.answer))
  }

  /// The log has answered for a batch.
  mutating func succeed(_ closed: Closed, nanoseconds: UInt64) {
    n = closed.batch.n
    doubtful = nil
    settle(closed)
    counters.batches += 1
    counters.commits += closed.batch.commits.count
    counters.bytes += closed.batch.commits.reduce(0) { $0 + $1.count }
    counters.appendNanoseconds += nanoseconds
    counters.longestAppendNanoseconds = max(counters.longestAppendNanoseconds, nanoseconds)
  }

  /// A batch has failed; returns who hears of it, and what.
  mutating func fail(
    _ closed: Closed,
    _ error: LogError
  ) -> (answers: [GroupCommit.Answer], error: LogError) {
    counters.failed += 1
    settle(closed)
    let isSentAgain = doubtful != nil
    switch error {
    case .doubtful: doubtful = closed.batch
    case .unavailable, .busy, .failed, .closed, .io, .locked: break
    case .truncated:
      // Sent again and found in, long ago.
      n = closed.batch.n
      doubtful = nil
    case .outOfOrder, .conflict:
      // The log knows other batches of this writer, which is not to be: go on as another.
      writer = UUID()
      n = 0
      doubtful = nil
    default: doubtful = nil
    }
    guard isSentAgain, doubtful != nil else { return (closed.answers, error) }
    // What waits was not sent: it cannot go before the batch in doubt.
    let answers = waiting.map(\.answer)
    waiting = []
    unanswered = (0, 0)
    if case .doubtful(let what) = error {
      return (answers, .unavailable(retryAfter: limits.retryAfter, what))
    }
    return (answers, error)
  }

  mutating func finish() { isFinished = true }

  private mutating func settle(_ closed: Closed) {
    unanswered.commits -= closed.answers.count
    guard !closed.answers.isEmpty else { return }
    unanswered.bytes -= closed.batch.commits.reduce(0) { $0 + $1.count }
  }
}

/// What a ``GroupCommit`` did, for metrics.
public struct GroupCommitCounters: Hashable, Sendable {
  /// Batches that the log acknowledged.
  public var batches = 0
  /// Commits in them.
  public var commits = 0
  /// Bytes of these commits.
  public var bytes = 0
  /// Time from the closing of batches to their acknowledgement, in nanoseconds.
  public var appendNanoseconds: UInt64 = 0
  /// The longest of these times, in nanoseconds.
  public var longestAppendNanoseconds: UInt64 = 0
  /// Commits that were refused because too much waited.
  public var refused = 0
  /// Appends that failed.
  public var failed = 0

  /// Nothing done yet.
  public init() {}
}
