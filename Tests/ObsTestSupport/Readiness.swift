import Glibc
import Synchronization

/// Waits for sockets on one thread for all tests, so that waiting blocks nobody else.
enum Readiness {
  /// How long any wait may take, in seconds: a guard against hanging only.
  static let timeout = 30

  private struct Wait: Sendable {
    let socket: Int32
    let events: Int16
    let deadline: Int
    let done: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var waits: [Wait] = []
    var wakeWriter: Int32 = -1
  }
  private static let state = Locked(State())

  /// Returns true when the socket can be read (or has ended), false after ``timeout``.
  static func readable(_ socket: Int32) async -> Bool { await wait(socket, Int16(POLLIN)) }

  /// Returns true when the socket can be written (or has ended), false after ``timeout``.
  static func writable(_ socket: Int32) async -> Bool { await wait(socket, Int16(POLLOUT)) }

  private static func wait(_ socket: Int32, _ events: Int16) async -> Bool {
    await withCheckedContinuation { done in
      let wait = Wait(
        socket: socket,
        events: events,
        deadline: time(nil) + timeout,
        done: done
      )
      let writer = state.withLock { state in
        if state.wakeWriter < 0 { state.wakeWriter = start() }
        state.waits.append(wait)
        return state.wakeWriter
      }
      var byte: UInt8 = 1
      _ = unsafe write(writer, &byte, 1)
    }
  }

  /// Starts the thread; the result wakes it.
  private static func start() -> Int32 {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { fatalError("no pipe") }
    let reader = ends[0]
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    var thread = pthread_t()
    let argument = unsafe UnsafeMutableRawPointer(bitPattern: Int(reader))
    unsafe pthread_create(
      &thread,
      nil,
      { argument in
        Readiness.run(Int32(Int(bitPattern: argument)))
        return nil
      },
      argument
    )
    return ends[1]
  }

  private static func run(_ reader: Int32) {
    while true {
      let waits = state.withLock { state in
        defer { state.waits = [] }
        return state.waits
      }
      var polled = waits.map { pollfd(fd: $0.socket, events: $0.events, revents: 0) }
      polled.append(pollfd(fd: reader, events: Int16(POLLIN), revents: 0))
      _ = unsafe poll(&polled, nfds_t(polled.count), 1000)
      var bytes = [UInt8](repeating: 0, count: 4096)
      if polled[waits.count].revents != 0 { _ = unsafe read(reader, &bytes, bytes.count) }
      let now = time(nil)
      var remaining: [Wait] = []
      for (wait, result) in zip(waits, polled) {
        if result.revents != 0 {
          wait.done.resume(returning: true)
        } else if now >= wait.deadline {
          wait.done.resume(returning: false)
        } else {
          remaining.append(wait)
        }
      }
      state.withLock { $0.waits += remaining }
    }
  }
}
