import CUV
import CWebsockets
import Glibc
import Synchronization

/// The thread-bound half of an ``EventLoop``: queue, libuv loop, timers, libwebsockets context, connections.
///
/// A core outlives its loop: it is kept for the next one, because destroying a context is not safe while other threads open files (trap
/// 27). So there are as many cores as there were loops at one time.
///
/// Unchecked: `queue` is guarded by its mutex; `thread` is atomic; the libuv handles are made in `init`, and all else is touched on the
/// loop's thread only.
@safe final class LoopCore: @unchecked Sendable {
  enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Queue {
    var work: [Work] = []
    /// The thread sleeps, or is about to: whoever adds work wakes it, once.
    var blocked = false
    weak var owner: EventLoop?
  }

  /// The most jobs of one pass; sockets get their turn after them.
  private static let jobBudget = 256

  private let queue = Mutex(Queue())
  private let thread = Atomic<UInt>(0)

  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let wake: LoopWake
  private let alarm: UnsafeMutablePointer<uv_timer_t>

  // Loop thread only, from here on.
  private var batch: [Work] = []
  private var batchPosition = 0
  /// Keeps the executor of the batch alive while its jobs run.
  private var batchOwner: EventLoop?
  private var timers = TimerHeap()
  private var armedFor: UInt64?
  /// libwebsockets' side; set in `init` and never ended.
  private var context: LWSContext?
  private var isStopped = false
  private var isLeaving = false
  private var onStopped: [@Sendable () -> Void] = []
  var connections = ConnectionTable()
  private var servers: [ServerCore] = []
  private var listeners: [Int: Listener] = [:]
  private var nextListener = 1
  private var sweep: LoopTimer?
  private var sweepInterval: UInt64 = 500

  init() throws(TransportError) {
    wake = try LoopWake()
    unsafe loop = .allocate(capacity: 1)
    unsafe alarm = .allocate(capacity: 1)
    let status = unsafe uv_loop_init(loop)
    guard status == 0 else {
      unsafe loop.deallocate()
      unsafe alarm.deallocate()
      throw TransportError(
        .loopFailed,
        "libuv could not start a loop",
        underlying: unsafe String(cString: uv_strerror(status))
      )
    }
    unsafe wake.begin(on: loop)
    unsafe uv_timer_init(loop, alarm)
    // Unretained: the thread keeps this object for ever.
    unsafe loop.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    do {
      context = try unsafe LWSContext(loop: loop, core: self)
    } catch {
      closeLoop()
      throw error
    }
  }

  /// The core that a libuv handle belongs to.
  static func of(_ loop: UnsafeMutablePointer<uv_loop_t>) -> LoopCore {
    unsafe Unmanaged<LoopCore>.fromOpaque(loop.pointee.data).takeUnretainedValue()
  }

  // MARK: cores without a loop

  private static let idle = Mutex<[LoopCore]>([])
  /// Written before the core is shared, when its thread was started.
  private var hasThread = false

  /// A core with a running thread, for a new loop.
  static func make(named name: String) throws(TransportError) -> LoopCore {
    let spare = idle.withLock { $0.popLast() }
    let core = if let spare { spare } else { try LoopCore() }
    guard !core.hasThread else {
      core.execute { SystemThread.setName(name) }
      return core
    }
    do throws(TransportError) {
      try SystemThread.start(name: name) { core.run() }
    } catch {
      idle.withLock { $0.append(core) }
      throw error
    }
    core.hasThread = true
    return core
  }

  func adopt(_ owner: EventLoop) { queue.withLock { $0.owner = owner } }

  /// The loop is gone: what is left on it ends, and the core waits for the next.
  func end() {
    execute { [self] in
      stop { [self] in
        timers.removeAll()
        sweep = nil
        context?.forgetClientHosts()
        isLeaving = true
        rest()
      }
    }
  }

  /// Waits for the next loop once the library has no host of the last one: it would hand new connections to it (trap 38).
  private func rest() {
    guard isLeaving, context?.hostCount == 0 else { return }
    isLeaving = false
    isStopped = false
    Self.idle.withLock { $0.append(self) }
  }

  // MARK: any thread

  var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  func push(_ work: Work) {
    let mustWake = queue.withLock { queue in
      queue.work.append(work)
      defer { queue.blocked = false }
      return queue.blocked
    }
    if mustWake { wake.send() }
  }

  func execute(_ work: @escaping @Sendable () -> Void) { push(.closure(work)) }

  @discardableResult
  func schedule(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
    let timer = LoopTimer()
    let deadline = Clock.milliseconds() + milliseconds
    if isCurrent {
      insert(timer, deadline, work)
    } else {
      push(.closure { [self] in insert(timer, deadline, work) })
    }
    return timer
  }

  // MARK: the thread

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    while true {
      let more = runJobs()
      for server in servers { server.passEnded() }
      finishStopping()
      rest()
      let mustWait = queue.withLock { queue in
        queue.blocked = !more && queue.work.isEmpty
        return queue.blocked
      }
      _ = unsafe uv_run(loop, mustWait ? UV_RUN_ONCE : UV_RUN_NOWAIT)
      if mustWait { queue.withLock { $0.blocked = false } }
    }
  }

  /// Runs what was queued, up to the budget; true when some of it is left.
  private func runJobs() -> Bool {
    if batchPosition == batch.count {
      batch.removeAll(keepingCapacity: batch.capacity <= 4096)
      batchPosition = 0
      queue.withLock { queue in
        guard !queue.work.isEmpty else { return }
        swap(&queue.work, &batch)
        batchOwner = queue.owner
      }
    }
    guard batchPosition < batch.count else { return false }
    // Whoever queued a job keeps the loop alive; without an owner there are only closures.
    let executor = unsafe batchOwner?.asUnownedSerialExecutor()
    let end = min(batch.count, batchPosition + Self.jobBudget)
    while batchPosition < end {
      let work = batch[batchPosition]
      batchPosition += 1
      switch work {
      case .closure(let body): body()
      case .job(let job):
        if let executor = unsafe executor { unsafe job.runSynchronously(on: executor) }
      }
    }
    guard batchPosition == batch.count else { return true }
    // Perhaps the last reference: then `end` queues the rest.
    batch.removeAll(keepingCapacity: batch.capacity <= 4096)
    batchPosition = 0
    batchOwner = nil
    return false
  }

  // MARK: timers

  private func insert(
    _ timer: LoopTimer,
    _ deadline: UInt64,
    _ work: @escaping @Sendable () -> Void
  ) {
    timers.insert(timer, deadline: deadline, work)
    arm()
  }

  private func arm() {
    guard let first = timers.firstDeadline else { return }
    if let armedFor, armedFor <= first { return }
    armedFor = first
    // libuv counts from the time it cached before this pass.
    let cached = unsafe uv_now(loop)
    unsafe uv_timer_start(
      alarm,
      { handle in
        guard let handle = unsafe handle else { return }
        unsafe LoopCore.of(handle.pointee.loop).alarmRang()
      },
      first > cached ? first - cached : 0,
      0
    )
  }

  private func alarmRang() {
    armedFor = nil
    let now = Clock.milliseconds()
    while let work = timers.popDue(now) { work() }
    arm()
  }

  // MARK: sockets

  /// The time of this pass in milliseconds; free, and as old as the pass.
  var now: UInt64 { unsafe uv_now(loop) }

  /// See ``LWSContext/destroy(_:)``.
  func destroy(_ host: LWSHost) { context?.destroy(host) }

  func add(_ server: ServerCore) { servers.append(server) }
  func remove(_ server: ServerCore) { servers.removeAll { $0 === server } }

  /// Makes sure that ``Connection/tick(_:)`` of all connections is called about every `interval` milliseconds.
  ///
  /// One coarse sweep serves all timeouts: libwebsockets' own timers are a sorted list, too slow to be set per message (trap 5).
  func keepSweeping(every interval: UInt64) {
    if sweep != nil, interval >= sweepInterval { return }
    sweep?.cancel()
    sweepInterval = interval
    sweep = schedule(after: interval) { [self] in sweepOnce() }
  }

  private func sweepOnce() {
    sweep = nil
    // A copy: what happens to a connection may change the table.
    let all = connections
    all.forEach { $0.tick(now) }
    if !connections.isEmpty { keepSweeping(every: sweepInterval) }
  }

  /// Watches a listening socket; the number is for ``unwatch(_:)``.
  func watch(_ listener: Listener) -> Int {
    let number = nextListener
    nextListener += 1
    listeners[number] = listener
    unsafe listener.begin(on: loop, number: number)
    return number
  }

  func unwatch(_ number: Int) { listeners.removeValue(forKey: number)?.close() }
  func listener(_ number: Int) -> Listener? { listeners[number] }

  /// libwebsockets, unless the loop was stopped.
  var library: LWSContext? { isStopped ? nil : context }

  /// See ``LWSContext/kick()``.
  func kick() { context?.kick() }

  /// Ends all sockets, and calls back when they are gone.
  func stop(_ done: @escaping @Sendable () -> Void) {
    isStopped = true
    onStopped.append(done)
    for server in servers { server.stop {} }
    let all = connections
    all.forEach { $0.kill("the event loop stopped") }
    finishStopping()
  }

  private func finishStopping() {
    guard !onStopped.isEmpty, connections.isEmpty, servers.isEmpty else { return }
    let calls = onStopped
    onStopped = []
    for call in calls { call() }
  }

  /// Ends a loop that could not be made.
  private func closeLoop() {
    wake.close()
    unsafe uv_close(
      UnsafeMutableRawPointer(alarm).assumingMemoryBound(to: uv_handle_t.self),
      nil
    )
    while unsafe uv_run(loop, UV_RUN_NOWAIT) != 0 {}
    let status = unsafe uv_loop_close(loop)
    assert(status == 0, "a libuv handle was left open")
    unsafe alarm.deallocate()
    unsafe loop.deallocate()
  }
}
