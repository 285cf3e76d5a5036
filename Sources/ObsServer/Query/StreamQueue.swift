import ObsTransport
import ObsWire
import Synchronization

/// The events of one stream that wait for one subscription: bounded, in order, never conflated.
///
/// Filled by the task that iterates the stream, emptied on the socket loop.
final class StreamQueue: Sendable {
  /// What ``take()`` finds.
  enum Item: Sendable {
    case event([UInt8], number: Int64)
    case ended(WireError?)
  }

  private struct State {
    var events: [[UInt8]] = []
    var head = 0
    var bytes = 0
    var taken: Int64 = 0
    var end: WireError??
    var task: Task<Void, Never>?
    var signalled = false
  }

  private let state = Mutex(State())
  private let maximumEvents: Int
  private let maximumBytes: Int
  private let shape: CarrierShape?
  private let signal: @Sendable () -> Void

  /// Makes a queue; `signal` is called when there is something to take and nobody has been told
  /// since the queue was last found empty.
  init(events: Int, bytes: Int, shape: CarrierShape?, signal: @escaping @Sendable () -> Void) {
    maximumEvents = events
    maximumBytes = bytes
    self.shape = shape
    self.signal = signal
  }

  /// Adds an event.
  ///
  /// False when it did not fit: the stream has then ended with `overflow`.
  func push(_ event: [UInt8]) -> Bool {
    let event = shape?.assemble([event]) ?? event
    let (accepted, tell) = state.withLock { state -> (Bool, Bool) in
      if state.end != nil { return (false, false) }
      let tell = !state.signalled
      state.signalled = true
      let waiting = state.events.count - state.head
      // A single event larger than the bound may wait alone: it is not the reader's fault.
      if waiting >= maximumEvents || (waiting > 0 && state.bytes + event.count > maximumBytes) {
        state.end = .some(overflow(waiting))
        return (false, tell)
      }
      state.events.append(event)
      state.bytes += event.count
      return (true, tell)
    }
    if tell { signal() }
    return accepted
  }

  private func overflow(_ waiting: Int) -> WireError {
    WireError(
      .overflow,
      """
      the subscriber fell behind: \(waiting) events waited (limits.streamEvents \
      \(maximumEvents), limits.streamBytes \(maximumBytes)); later events are lost, subscribe again
      """
    )
  }

  /// No further event will come.
  func finish(_ error: WireError?) {
    let tell = state.withLock { state in
      if state.end == nil { state.end = .some(error) }
      let tell = !state.signalled
      state.signalled = true
      return tell
    }
    if tell { signal() }
  }

  /// The next event, the end after the last one, or nil when there is nothing now.
  func take() -> Item? {
    state.withLock { state in
      if state.head < state.events.count {
        let event = state.events[state.head]
        state.events[state.head] = []
        state.head += 1
        state.bytes -= event.count
        state.taken += 1
        if state.head == state.events.count {
          state.events.removeAll(keepingCapacity: false)
          state.head = 0
        }
        return .event(event, number: state.taken)
      }
      if let end = state.end { return .ended(end) }
      state.signalled = false
      return nil
    }
  }

  /// Keeps the task that fills the queue, so that ``cancel()`` can end it.
  func run(_ task: Task<Void, Never>) { state.withLock { $0.task = task } }

  /// The subscriber has left: ends the task that iterates the stream.
  func cancel() {
    let task = state.withLock { state in
      if state.end == nil { state.end = .some(nil) }
      state.events = []
      state.head = 0
      defer { state.task = nil }
      return state.task
    }
    task?.cancel()
  }
}
