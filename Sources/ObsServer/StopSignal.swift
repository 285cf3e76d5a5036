import Dispatch
import Glibc
import Synchronization

/// Why a server's `run()` ends.
enum StopReason: Sendable {
  case signal(String)
  case cancelled
  case stopped
}

/// Fires once: by SIGTERM or SIGINT while somebody listens, by cancellation, or by a stop.
final class StopSignal: Sendable {
  private struct State {
    var reason: StopReason?
    var waiters: [CheckedContinuation<StopReason, Never>] = []
  }

  private let state = Mutex(State())

  func fire(_ reason: StopReason) {
    let waiters = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: reason) }
  }

  /// Runs `body` while SIGTERM and SIGINT are heard here instead of ending the process.
  func listening<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    var sources: [any DispatchSourceSignal] = []
    for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { self.fire(.signal(name)) }
      // On Linux, Dispatch installs a handler of its own when it registers the source: until then a signal ends the
      // process, from then on it is heard. Ignoring it before would lose one that comes in between; ignoring it
      // afterwards would undo the handler.
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.resume()
      }
      sources.append(source)
    }
    defer {
      for source in sources { source.cancel() }
      for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    }
    return try await body()
  }

  /// Waits until it has fired, or the task is cancelled.
  func wait() async -> StopReason {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let reason = state.withLock { state -> StopReason? in
          if state.reason == nil { state.waiters.append(waiter) }
          return state.reason
        }
        if let reason { waiter.resume(returning: reason) }
      }
    } onCancel: {
      fire(.cancelled)
    }
  }
}
