import Synchronization

/// Wakes followers when entries arrive, and hands them the newest ones without a way over the log's thread, which may be busy with
/// the next.
final class Arrivals: Sendable {
  private struct State {
    var last = Place.start
    var recent = RecentEntries()
    var isOver = true
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  }
  private let state = Mutex(State())

  /// Begins, at the newest entry of a log that was opened.
  func begin(_ last: Place) {
    state.withLock { state in
      state.last = last
      state.recent = RecentEntries()
      state.isOver = false
    }
  }

  /// Says that an entry, the newest, is durable.
  func announce(_ entry: Entry, bytes: Int) {
    let woken = state.withLock { state in
      state.last = entry.place
      state.recent.add(entry, bytes: bytes)
      defer { state.waiting = [:] }
      return state.waiting
    }
    for reader in woken.values { reader.resume(returning: true) }
  }

  /// The entries after a place, as many as one read gives; nil when some of them are not at hand, empty at the end.
  func recent(after place: Place) -> [Entry]? {
    state.withLock { state in
      guard !state.isOver, let recent = state.recent.after(place) else { return nil }
      return ReadLimit.part(of: recent)
    }
  }

  /// Says that nothing more comes.
  func finish() {
    let woken = state.withLock { state in
      state.isOver = true
      state.recent = RecentEntries()
      defer { state.waiting = [:] }
      return state.waiting
    }
    for reader in woken.values { reader.resume(returning: false) }
  }

  /// Waits until the log goes beyond a place; false when it was closed or the task cancelled.
  func wait(beyond place: Place) async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.isOver || Task.isCancelled { return false }
          if state.last > place { return true }
          state.waiting[id] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let reader = state.withLock { state in state.waiting.removeValue(forKey: id) }
      reader?.resume(returning: false)
    }
  }
}
