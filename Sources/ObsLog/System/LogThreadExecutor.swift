import CSQLite
import Glibc

/// Runs one actor on a thread of its own, so that waiting for the disk holds nobody else up.
///
/// The thread ends when the executor is let go of.
@safe
final class LogThreadExecutor: SerialExecutor {
  private let queue = Queue()

  /// Starts the thread; `name` may have 15 bytes.
  init(name: String) throws(LogError) { try queue.start(name: name) }

  deinit { queue.stop() }

  func enqueue(_ job: consuming ExecutorJob) {
    queue.push(Work(job: UnownedJob(job), executor: self))
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  /// A job that waits; it holds the executor, because the job may be the last to hold the actor.
  private struct Work {
    let job: UnownedJob
    let executor: LogThreadExecutor

    func run() { unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
  }

  /// What the thread holds: not the executor (but while jobs wait), or that would never go.
  @safe
  private final class Queue: @unchecked Sendable {
    // Guarded by `lock`.
    private var jobs: [Work] = []
    private var isWaiting = false
    private var isStopped = false
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let wake: UnsafeMutablePointer<pthread_cond_t>
    // Set before the thread starts.
    private var name = ""

    init() {
      unsafe lock = .allocate(capacity: 1)
      unsafe wake = .allocate(capacity: 1)
      unsafe pthread_mutex_init(lock, nil)
      unsafe pthread_cond_init(wake, nil)
    }

    deinit {
      unsafe pthread_cond_destroy(wake)
      unsafe pthread_mutex_destroy(lock)
      unsafe wake.deallocate()
      unsafe lock.deallocate()
    }

    func start(name: String) throws(LogError) {
      self.name = name
      var thread = pthread_t()
      // Balanced by takeRetainedValue in the thread, or by release below when there is no thread.
      let me = unsafe Unmanaged.passRetained(self)
      let failure = unsafe pthread_create(
        &thread,
        nil,
        { me in
          guard let me = unsafe me else { return nil }
          unsafe Unmanaged<Queue>.fromOpaque(me).takeRetainedValue().run()
          return nil
        },
        me.toOpaque()
      )
      guard failure == 0 else {
        unsafe me.release()
        throw .io("the thread \(name) could not be started: \(SystemError.text(failure))")
      }
      pthread_detach(thread)
    }

    func push(_ job: Work) {
      unsafe pthread_mutex_lock(lock)
      jobs.append(job)
      let sleeping = isWaiting
      isWaiting = false
      unsafe pthread_mutex_unlock(lock)
      if sleeping { unsafe pthread_cond_signal(wake) }
    }

    func stop() {
      unsafe pthread_mutex_lock(lock)
      isStopped = true
      isWaiting = false
      unsafe pthread_mutex_unlock(lock)
      unsafe pthread_cond_signal(wake)
    }

    private func run() {
      unsafe csqlite_name_thread(name)
      while true {
        unsafe pthread_mutex_lock(lock)
        while jobs.isEmpty && !isStopped {
          isWaiting = true
          unsafe pthread_cond_wait(wake, lock)
        }
        let ready = jobs
        jobs = []
        unsafe pthread_mutex_unlock(lock)
        // Stopped means that no actor is left to run on this thread, so no job either.
        if ready.isEmpty { return }
        for job in ready { job.run() }
      }
    }
  }
}
