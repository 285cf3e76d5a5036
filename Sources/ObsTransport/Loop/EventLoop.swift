/// One thread that runs sockets and Swift jobs: an actor whose executor this is handles socket events without locks or hops.
///
/// The thread owns a libuv loop of ours and one libwebsockets context on it. A pass is: socket and timer events, then up to 256
/// jobs in the order of their arrival, then ``WebSocketServerHandler/passEnded()`` of each server, then sleep if nothing waits. Nothing
/// on this thread may block: no name lookups, no files, no long computation.
///
/// ```swift
/// actor Hub {
///   nonisolated let loop: EventLoop
///   nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
/// }
/// ```
///
/// When the last reference to the loop is gone, its sockets end, and its thread waits for the next loop of the process.
public final class EventLoop: SerialExecutor, TaskExecutor {
  let core: LoopCore

  /// Starts a loop on a thread of its own.
  ///
  /// - Parameter name: the name of the thread, cut to 15 bytes.
  /// - Throws: ``TransportError/Code/loopFailed`` when the thread, libuv or libwebsockets cannot be started.
  public init(name: String = "obs-loop") throws(TransportError) {
    core = try LoopCore.make(named: name)
    core.adopt(self)
  }

  deinit { core.end() }

  private static let sharedLoop = Result { () throws(TransportError) in
    try EventLoop(name: "obs-shared-loop")
  }

  /// The one loop that clients of a process share, started when it is first asked for.
  ///
  /// - Throws: ``TransportError/Code/loopFailed``, each time, when it could not be started.
  public static func shared() throws(TransportError) -> EventLoop { try sharedLoop.get() }

  /// Whether the caller runs on the loop's thread.
  public var isCurrent: Bool { core.isCurrent }

  /// Runs `work` on the loop's thread in its next pass.
  ///
  /// From any thread. Jobs of actors and closures share one queue and keep their order; one wake of the thread serves a whole batch.
  public func execute(_ work: @escaping @Sendable () -> Void) { core.push(.closure(work)) }

  /// Runs `work` on the loop's thread after a time.
  ///
  /// From any thread. The resolution is one millisecond, rounded up.
  ///
  /// - Returns: the timer, for cancelling.
  @discardableResult
  public func schedule(
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> LoopTimer {
    core.schedule(after: delay.milliseconds, work)
  }

  /// Ends all sockets of the loop.
  ///
  /// Servers and clients on it should have been closed before; whatever is left is cut. Jobs and timers still run afterwards, so
  /// that actors on the loop can finish; new servers and clients fail with ``TransportError/Code/stopped``.
  public func stop() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      core.push(.closure { [core] in core.stop { done.resume() } })
    }
  }

  // MARK: SerialExecutor, TaskExecutor

  /// Queues a job for the loop's thread.
  public func enqueue(_ job: consuming ExecutorJob) { core.push(.job(UnownedJob(job))) }

  /// The executor as actors name it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  /// Whether the caller runs on the loop's thread; what `assumeIsolated` asks in a callback from C.
  public func isIsolatingCurrentContext() -> Bool? { core.isCurrent }

  /// Traps when the caller is not on the loop's thread.
  public func checkIsolated() {
    precondition(core.isCurrent, "not on the thread of the event loop")
  }
}
