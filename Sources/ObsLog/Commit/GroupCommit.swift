public import FoundationEssentials
import Synchronization

/// Makes one batch of all commits that wait while the log writes the batch before: one writer of a log.
///
/// Without a timer: a batch closes when the one before is acknowledged, or when it is full. Commits keep the order in
/// which they were submitted.
public final class GroupCommit: Sendable {
  /// Hears the end of a commit, on no particular thread; in the order of submission.
  public typealias Answer = @Sendable (Result<CommitPlace, LogError>) -> Void

  /// Bounds of batches and of what may wait.
  public struct Limits: Sendable {
    /// The most bytes of a batch, by default 1 MiB; a larger commit goes alone.
    public var batchBytes = 1 << 20
    /// The most commits of a batch, by default 512.
    public var batchCommits = 512
    /// The most commits that may wait for their answer, by default 4,096; more are `busy`.
    public var queuedCommits = 4096
    /// The most bytes of these, by default 16 MiB; a larger commit waits alone.
    public var queuedBytes = 16 << 20
    /// When who was refused may try again, by default after 100 ms.
    public var retryAfter = Duration.milliseconds(100)

    /// The defaults.
    public init() {}
  }

  private let log: any CommitLog
  private let clock: @Sendable () -> Int64
  private let queue: Mutex<CommitQueue>
  private let running = Mutex<Task<Void, Never>?>(nil)

  /// Begins to write to an open log.
  ///
  /// - Parameters:
  ///   - log: The log; `info` is what its `open` returned.
  ///   - info: What the log allows.
  ///   - format: The form of the commits.
  ///   - writer: Who writes; a new one for each process.
  ///   - limits: Bounds.
  ///   - clock: The time of batches in milliseconds since 1970; nil is the system's.
  public init(
    log: any CommitLog,
    info: LogInfo,
    format: UInt16,
    writer: UUID = UUID(),
    limits: Limits = Limits(),
    clock: (@Sendable () -> Int64)? = nil
  ) {
    self.log = log
    self.clock = clock ?? { LogClock.wall() }
    queue = Mutex(
      CommitQueue(
        writer: writer,
        format: format,
        largestMessage: info.largestMessage,
        limits: limits
      )
    )
  }

  /// Who writes now; another after the log refused the numbers of the one before.
  public var writer: UUID { queue.withLock { $0.writer } }

  /// What was done.
  public var counters: GroupCommitCounters { queue.withLock { $0.counters } }

  /// Has a commit written; `answer` hears when it is durable, or why it is not.
  ///
  /// - Throws: ``LogError/busy(retryAfter:)``, ``LogError/tooLarge(bytes:limit:)``, ``LogError/closed``; `answer` is
  ///   not called then. An answer of ``LogError/doubtful(_:)`` says that the commit may show up in the log.
  public func submit(_ commit: CommitBytes, _ answer: @escaping Answer) throws(LogError) {
    if let error = admit([(commit, answer)]).first?.error { throw error }
  }

  /// Has commits written that are at hand together: they are not torn apart by a batch that closes in between.
  ///
  /// Each answer is called, also for a commit that was not admitted.
  public func submit(_ commits: [(bytes: CommitBytes, answer: Answer)]) {
    for (answer, error) in admit(commits) { answer(.failure(error)) }
  }

  /// Admits what can be admitted, and has it written; returns the others.
  private func admit(
    _ commits: [(bytes: CommitBytes, answer: Answer)]
  ) -> [(answer: Answer, error: LogError)] {
    let (isFirst, refused) = queue.withLock { queue in
      var isFirst = false
      var refused: [(answer: Answer, error: LogError)] = []
      for commit in commits {
        do throws(LogError) {
          if try queue.admit(commit.bytes, commit.answer) { isFirst = true }
        } catch {
          refused.append((commit.answer, error))
        }
      }
      return (isFirst, refused)
    }
    if isFirst { running.withLock { $0 = Task { await self.run() } } }
    return refused
  }

  /// Has a commit written, and waits until it is durable.
  public func commit(_ commit: CommitBytes) async throws(LogError) -> CommitPlace {
    let result = await withCheckedContinuation { continuation in
      do throws(LogError) {
        try submit(commit) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get()
  }

  /// Admits nothing more, and waits until all that was admitted is answered.
  public func finish() async {
    queue.withLock { $0.finish() }
    while queue.withLock({ $0.isRunning }) { await running.withLock { $0 }?.value }
  }

  private func run() async {
    while let closed = queue.withLock({ $0.close(time: clock()) }) {
      let begun = LogClock.monotonic()
      do throws(LogError) {
        let place = try await log.append(closed.batch)
        let nanoseconds = LogClock.monotonic() - begun
        queue.withLock { $0.succeed(closed, nanoseconds: nanoseconds) }
        for (index, answer) in closed.answers.enumerated() {
          answer(.success(CommitPlace(place: place, n: closed.batch.n, index: index)))
        }
      } catch {
        let (answers, reason) = queue.withLock { $0.fail(closed, error) }
        for answer in answers { answer(.failure(reason)) }
      }
    }
  }
}

/// Where a commit stands in a log.
public struct CommitPlace: Hashable, Sendable {
  /// The place of its entry.
  public var place: Place
  /// The number of its batch among those of its writer.
  public var n: UInt64
  /// Its position in the batch; the first is 0.
  public var index: Int

  /// Makes a place of a commit.
  public init(place: Place, n: UInt64, index: Int) {
    self.place = place
    self.n = n
    self.index = index
  }
}
