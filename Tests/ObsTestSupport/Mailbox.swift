import Synchronization

/// Things that happened, in order, for tests that wait for events and not for time.
///
/// Posted from any thread; read by one task at a time.
public final class Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var reader: CheckedContinuation<Element?, Never>?
    var isFinished = false
  }
  private let state = Mutex(State())

  /// An empty mailbox.
  public init() {}

  /// Adds an element.
  public func post(_ element: Element) {
    let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard let reader = state.reader else {
        state.elements.append(element)
        return nil
      }
      state.reader = nil
      return reader
    }
    reader?.resume(returning: element)
  }

  /// Says that nothing more comes: readers get nil when all is read.
  public func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  /// Waits for the next element; nil after the last, and when the task is cancelled.
  ///
  /// So a test whose time is over ends, and says where.
  public func next() async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (element, ready) = state.withLock { state -> (Element?, Bool) in
          if !state.elements.isEmpty { return (state.elements.removeFirst(), true) }
          if state.isFinished || Task.isCancelled { return (nil, true) }
          precondition(state.reader == nil, "one task at a time reads a mailbox")
          state.reader = continuation
          return (nil, false)
        }
        if ready { continuation.resume(returning: element) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }
      reader?.resume(returning: nil)
    }
  }

  /// Reads on until an element for which `matches` holds, and drops the others.
  public func next(where matches: (Element) -> Bool) async -> Element? {
    while let element = await next() {
      if matches(element) { return element }
    }
    return nil
  }

  /// Waits for the end, and returns everything that was not read.
  public func rest() async -> [Element] {
    var rest: [Element] = []
    while let element = await next() { rest.append(element) }
    return rest
  }

  /// What has arrived and was not read.
  public var unread: [Element] { state.withLock { $0.elements } }
}

/// A value behind a lock that closures may share.
public final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Holds a value.
  public init(_ value: Value) { mutex = Mutex(value) }

  /// Runs `body` with the value, alone.
  public func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result
  {
    try mutex.withLock { value in try body(&value) }
  }
}
