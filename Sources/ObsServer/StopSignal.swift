import Dispatch
import Glibc
import Synchronization

/// Why a server's `run()` ends.
enum StopReason: Sendable {
  case signal(String)
  case cancelled
  case stopped
}

/// Fires once: by SIGTERM or SIGINT while somebody waits, by cancellation, or by a stop.
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

  /// Begins to hear SIGTERM and SIGINT; returns when none can be missed any more.
  func hear() async -> [any DispatchSourceSignal] {
    var sources: [any DispatchSourceSignal] = []
    for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
      // Dispatch sees a signal only where it does not end the process first.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { self.fire(.signal(name)) }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.resume()
      }
      sources.append(source)
    }
    return sources
  }

  /// Gives the signals back: the next one ends the process.
  func release(_ sources: [any DispatchSourceSignal]) {
    for source in sources { source.cancel() }
    for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
  }

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
