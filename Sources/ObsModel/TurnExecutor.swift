import Glibc
import Synchronization

/// Runs everything on ``ObsActor`` in turns, on one thread of its own.
///
/// A **turn** is a bounded batch of ordinary work (commands, subscribes, user tasks), then *all*
/// evaluations of live queries that the batch caused, then its end, where each
/// ``TurnParticipant`` publishes what changed. So everything published by one turn is one
/// consistent cut over all queries, and no producer can starve delivery.
///
/// Evaluations are told apart from ordinary jobs by a task priority that nothing else uses,
/// ``evaluationPriority``.
@safe
public final class TurnExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// The priority of live-query tasks: above every priority that Swift names.
  ///
  /// Never give it to other tasks; a job of this priority that arrives from another thread is
  /// taken for the mutation of a model off its actor, and traps.
  public static let evaluationPriority = TaskPriority(rawValue: 0x27)

  /// The most ordinary jobs in one turn.
  ///
  /// More wait for the next turn, in order.
  public static let jobsPerTurn = 256

  /// A turn admits no further ordinary job once it has run for this long (nanoseconds).
  static let admissionNanoseconds: UInt64 = 5_000_000

  /// The most rounds of evaluations in one turn: a guard against queries that change what they read.
  static let evaluationRounds = 64

  private enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  // Guarded by `lock`.
  private var ordinary: [Work] = []
  private var evaluations: [UnownedJob] = []
  private var waiting = false
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let wake: UnsafeMutablePointer<pthread_cond_t>

  // Written by the constructor before the thread can be asked about.
  private let thread = Atomic<UInt>(0)

  // Used on the executor's thread only.
  private var participants: [any TurnParticipant] = []
  private var turns: UInt64 = 0

  /// Starts the thread, which lives as long as the process.
  init() {
    unsafe lock = .allocate(capacity: 1)
    unsafe wake = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(wake, nil)
    var created = pthread_t()
    let me = unsafe Unmanaged.passRetained(self).toOpaque()
    let failure = unsafe pthread_create(
      &created,
      nil,
      { me in
        guard let me = unsafe me else { return nil }
        unsafe Unmanaged<TurnExecutor>.fromOpaque(me).takeRetainedValue().run()
        return nil
      },
      me
    )
    precondition(failure == 0, "cannot start the model thread: error \(failure)")
    thread.store(created, ordering: .releasing)
  }

  // MARK: Queues

  /// Takes a job of the Swift runtime; evaluations are kept apart by their priority.
  public func enqueue(_ job: consuming ExecutorJob) {
    if job.priority.rawValue == TurnExecutor.evaluationPriority.rawValue {
      // A live query is woken by the write that touched what it read, on the writing thread.
      // (fatalError, because a release build drops the text of a precondition.)
      guard isCurrent else {
        fatalError(
          """
          an @Observable model that a live query has read was changed off ObsActor; \
          change models only in commands, in `Task { @ObsActor in … }` or in @ObsActor functions
          """
        )
      }
      let job = UnownedJob(job)
      unsafe pthread_mutex_lock(lock)
      evaluations.append(job)
      unsafe pthread_mutex_unlock(lock)
    } else {
      push(.job(UnownedJob(job)))
    }
  }

  /// Admits a closure as ordinary work of one of the next turns; order is kept.
  ///
  /// It runs on the actor's thread; enter the actor by ``ObsActor/assumeIsolated(_:)``.
  public func submit(_ work: @escaping @Sendable () -> Void) {
    push(.closure(work))
  }

  private func push(_ work: Work) {
    unsafe pthread_mutex_lock(lock)
    ordinary.append(work)
    let sleeping = waiting
    waiting = false
    unsafe pthread_mutex_unlock(lock)
    if sleeping { unsafe pthread_cond_signal(wake) }
  }

  // MARK: Isolation

  /// True on the executor's own thread.
  public var isCurrent: Bool { pthread_self() == thread.load(ordering: .acquiring) }

  /// Answers the runtime whether the caller runs on this executor (SE-0471).
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Traps unless the caller runs on the executor's thread.
  public func checkIsolated() {
    guard isCurrent else { fatalError("not on ObsActor: models are used only on their actor") }
  }

  /// The reference that actors hold.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  /// The reference that tasks hold.
  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    unsafe UnownedTaskExecutor(ordinary: self)
  }

  // MARK: Participants

  /// Calls `participant` at the end of every turn from now on, on the actor.
  @ObsActor
  public func add(_ participant: some TurnParticipant) { participants.append(participant) }

  /// Ends the calls that ``add(_:)`` began.
  @ObsActor
  public func remove(_ participant: some TurnParticipant) {
    participants.removeAll { $0 === participant }
  }

  // MARK: The thread

  private func run() {
    thread.store(pthread_self(), ordering: .releasing)
    var batch: [Work] = []
    var position = 0
    while true {
      if position == batch.count {
        batch.removeAll(keepingCapacity: true)
        position = 0
        waitForWork(&batch)
      }
      turn(&batch, &position)
    }
  }

  private func waitForWork(_ batch: inout [Work]) {
    unsafe pthread_mutex_lock(lock)
    while ordinary.isEmpty && evaluations.isEmpty {
      waiting = true
      unsafe pthread_cond_wait(wake, lock)
    }
    waiting = false
    swap(&ordinary, &batch)
    unsafe pthread_mutex_unlock(lock)
  }

  private func turn(_ batch: inout [Work], _ position: inout Int) {
    let started = Clocks.monotonic()
    var jobs = 0
    while position < batch.count, jobs < TurnExecutor.jobsPerTurn {
      let work = batch[position]
      position += 1
      jobs += 1
      switch work {
      case .job(let job): runOrdinary(job)
      case .closure(let closure): closure()
      }
      if Clocks.monotonic() &- started > TurnExecutor.admissionNanoseconds { break }
    }
    var evaluated = 0
    var round = 0
    while round < TurnExecutor.evaluationRounds {
      let list = takeEvaluations()
      if list.isEmpty { break }
      round += 1
      evaluated += list.count
      for job in list { runEvaluation(job) }
    }
    turns += 1
    let turn = Turn(
      number: turns,
      ordinaryJobs: jobs,
      evaluationJobs: evaluated,
      nanoseconds: Clocks.monotonic() &- started
    )
    ObsActor.assumeIsolated {
      for participant in participants { participant.turnEnded(turn) }
    }
  }

  private func takeEvaluations() -> [UnownedJob] {
    var list: [UnownedJob] = []
    unsafe pthread_mutex_lock(lock)
    swap(&evaluations, &list)
    unsafe pthread_mutex_unlock(lock)
    return list
  }

  // A job must be run with the task executor that its task prefers: where they differ, the runtime
  // takes each call from the actor to itself for a hop, and queues the task again. Live-query tasks
  // prefer this executor; ordinary tasks prefer none.

  private func runOrdinary(_ job: UnownedJob) {
    unsafe job.runSynchronously(on: asUnownedSerialExecutor())
  }

  private func runEvaluation(_ job: UnownedJob) {
    unsafe job.runSynchronously(
      isolatedTo: asUnownedSerialExecutor(),
      taskExecutor: asUnownedTaskExecutor()
    )
  }
}
