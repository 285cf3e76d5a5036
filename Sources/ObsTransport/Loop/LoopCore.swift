import CUV
import CWebsockets
import Glibc
import Synchronization

/// The thread-bound half of an ``EventLoop``: queue, libuv loop, timers, libwebsockets context, connections.
///
/// Unchecked: `queue` is guarded by its mutex; `thread` is atomic; `owner` is written once before the thread starts; the libuv handles
/// are made in `init`, and all else is touched on the loop's thread only. `wake` is used from any thread, as libuv allows.
@safe final class LoopCore: @unchecked Sendable {
  enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Queue {
    var work: [Work] = []
    /// The thread sleeps, or is about to: whoever adds work wakes it, once.
    var blocked = false
    var ended = false
    /// The handle that wakes the thread is there.
    var isOpen = true
  }

  /// The most jobs of one pass; sockets get their turn after them.
  private static let jobBudget = 256

  private let queue = Mutex(Queue())
  private let thread = Atomic<UInt>(0)
  weak var owner: EventLoop?

  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let wake: UnsafeMutablePointer<uv_async_t>
  private let alarm: UnsafeMutablePointer<uv_timer_t>

  // Loop thread only, from here on.
  private var batch: [Work] = []
  private var batchPosition = 0
  private var timers = TimerHeap()
  private var armedFor: UInt64?
  /// libwebsockets' side: nil after ``closeSockets(_:)``.
  private(set) var library: LWSContext?
  private var closingLibrary: LWSContext?
  private var onSocketsClosed: [@Sendable () -> Void] = []
  var connections = ConnectionTable()
  private var servers: [ServerCore] = []
  private var listeners: [Int: Listener] = [:]
  private var nextListener = 1
  private var sweep: LoopTimer?
  private var sweepInterval: UInt64 = 500

  init() throws(TransportError) {
    unsafe loop = .allocate(capacity: 1)
    unsafe wake = .allocate(capacity: 1)
    unsafe alarm = .allocate(capacity: 1)
    let status = unsafe uv_loop_init(loop)
    guard status == 0 else {
      unsafe loop.deallocate()
      unsafe wake.deallocate()
      unsafe alarm.deallocate()
      throw TransportError(
        .loopFailed,
        "libuv could not start a loop",
        underlying: unsafe String(cString: uv_strerror(status))
      )
    }
    unsafe uv_async_init(loop, wake, nil)
    unsafe uv_timer_init(loop, alarm)
    // Unretained: the thread keeps this object until it has closed the loop.
    unsafe loop.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    do {
      library = try unsafe LWSContext(loop: loop, core: self)
    } catch {
      closeLoop()
      throw error
    }
  }

  /// The core that a libuv handle belongs to.
  static func of(_ loop: UnsafeMutablePointer<uv_loop_t>) -> LoopCore {
    unsafe Unmanaged<LoopCore>.fromOpaque(loop.pointee.data).takeUnretainedValue()
  }

  // MARK: any thread

  var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  func push(_ work: Work) {
    queue.withLock { queue in
      queue.work.append(work)
      wakeUp(&queue)
    }
  }

  /// Ends the thread's wait for events.
  ///
  /// Under the lock: later, the thread may have ended and freed the handle.
  private func wakeUp(_ queue: inout Queue) {
    if queue.blocked, queue.isOpen { unsafe uv_async_send(wake) }
    queue.blocked = false
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

  /// Lets the thread end; the last call.
  func end() {
    queue.withLock { queue in
      queue.ended = true
      wakeUp(&queue)
    }
  }

  // MARK: the thread

  func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    var running = true
    while running {
      let more = runJobs()
      for server in servers { server.passEnded() }
      finishClosing()
      let next = queue.withLock { queue -> uv_run_mode? in
        if more || !queue.work.isEmpty { return UV_RUN_NOWAIT }
        if queue.ended { return nil }
        queue.blocked = true
        return UV_RUN_ONCE
      }
      if let next {
        _ = unsafe uv_run(loop, next)
        if next == UV_RUN_ONCE { queue.withLock { $0.blocked = false } }
      } else {
        running = false
      }
    }
    closeSockets {}
    while library != nil || closingLibrary != nil {
      _ = unsafe uv_run(loop, UV_RUN_NOWAIT)
      finishClosing()
    }
    timers.removeAll()
    closeLoop()
  }

  /// Runs what was queued, up to the budget; true when some of it is left.
  private func runJobs() -> Bool {
    if batch.isEmpty { queue.withLock { swap(&$0.work, &batch) } }
    guard batchPosition < batch.count else { return false }
    // Whoever queued a job keeps the loop alive; without an owner there are only closures.
    let executor = unsafe owner?.asUnownedSerialExecutor()
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
    if batchPosition < batch.count { return true }
    // At once: what closures hold must not live until the next event, least of all the loop itself.
    batch.removeAll(keepingCapacity: batch.capacity <= 4096)
    batchPosition = 0
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

  func add(_ server: ServerCore) { servers.append(server) }
  func remove(_ server: ServerCore) { servers.removeAll { $0 === server } }

  /// Makes sure that ``Connection/tick(_:)`` of all connections is called about every `interval` milliseconds.
  ///
  /// One coarse sweep serves all timeouts: libwebsockets' own timers are a sorted list, too slow to be set per message (trap 5).
  func keepSweeping(every interval: UInt64) {
    if sweep != nil, interval >= sweepInterval { return }
    sweep?.cancel()
    sweepInterval = interval
    sweep = schedule(after: interval) { [weak self] in self?.sweepOnce() }
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

  /// Destroys the libwebsockets context with everything on it, and calls back when that is done.
  func closeSockets(_ done: @escaping @Sendable () -> Void) {
    for number in Array(listeners.keys) { unwatch(number) }
    if let library {
      closingLibrary = library
      self.library = nil
      library.destroy()
    }
    onSocketsClosed.append(done)
    finishClosing()
  }

  private func finishClosing() {
    guard library == nil, !onSocketsClosed.isEmpty else { return }
    if let closing = closingLibrary {
      // On a foreign loop the library waits for a second call once its handles are closed (trap 25).
      if !closing.isDestroyed, handleCount == Self.ownHandles { closing.destroy() }
      guard closing.isDestroyed else {
        // libuv closes handles in its next pass; see that there is one.
        execute {}
        return
      }
      closingLibrary = nil
    }
    let calls = onSocketsClosed
    onSocketsClosed = []
    for call in calls { call() }
  }

  /// Handles of the loop itself: `wake` and `alarm`.
  private static let ownHandles = 2

  /// Handles on the loop, those included that are closing.
  private var handleCount: Int {
    var count = 0
    unsafe withUnsafeMutablePointer(to: &count) { pointer in
      unsafe uv_walk(
        loop,
        { _, pointer in unsafe pointer?.assumingMemoryBound(to: Int.self).pointee += 1 },
        pointer
      )
    }
    return count
  }

  private func closeLoop() {
    queue.withLock { $0.isOpen = false }
    unsafe closeHandle(wake)
    unsafe closeHandle(alarm)
    while unsafe uv_run(loop, UV_RUN_NOWAIT) != 0 {}
    let status = unsafe uv_loop_close(loop)
    assert(status == 0, "a libuv handle was left open")
    unsafe wake.deallocate()
    unsafe alarm.deallocate()
    unsafe loop.deallocate()
  }

  private func closeHandle<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    unsafe uv_close(
      UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self),
      nil
    )
  }
}
