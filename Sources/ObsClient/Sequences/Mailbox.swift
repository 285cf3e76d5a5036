internal import Synchronization

/// What a mailbox holds between the loop, which fills it, and the one task that reads.
protocol MailboxContents: Sendable {
  associatedtype Item: Sendable
  var isOver: Bool { get }
  mutating func accept(_ delivery: Delivery)
  mutating func abandon()
  mutating func take() -> Result<Item?, ClientError>?
  /// Whether the socket should be read no further for the time being.
  var isFull: Bool { get }
  var hasRoom: Bool { get }
}

/// Hands what arrives for one operation to the one task that reads it.
final class Mailbox<Contents: MailboxContents>: OperationSink {
  typealias Outcome = Result<Contents.Item?, ClientError>

  private struct State {
    var contents: Contents
    var reader: CheckedContinuation<Outcome, Never>?
    /// Whether the loop was told to stop reading, and must be told when to go on.
    var isPausing = false
  }

  private let state: Mutex<State>

  init(_ contents: Contents) {
    state = Mutex(State(contents: contents))
  }

  var isOpen: Bool { state.withLock { !$0.contents.isOver } }

  func deliver(_ delivery: Delivery) -> Bool {
    let (wake, goOn) = state.withLock { state in
      state.contents.accept(delivery)
      let wake = Self.wake(&state)
      // What was read from the socket before it was paused still arrives, and must not make the pause forgotten.
      let isFull = state.contents.isFull && !state.contents.isOver
      state.isPausing = state.isPausing || isFull
      return (wake, !isFull)
    }
    wake?()
    return goOn
  }

  /// Ends the reading from this side; a reader that waits gets nil.
  func abandon() {
    let wake = state.withLock { state in
      state.contents.abandon()
      return Self.wake(&state)
    }
    wake?()
  }

  /// Waits for the next item.
  ///
  /// `room` is called when the socket may be read again.
  func next(
    isolation: isolated (any Actor)?,
    room: () -> Void
  ) async -> Outcome {
    let taken = state.withLock { state in
      let outcome = state.contents.take()
      guard state.isPausing, state.contents.hasRoom else { return (outcome, false) }
      state.isPausing = false
      return (outcome, true)
    }
    if taken.1 { room() }
    if let outcome = taken.0 { return outcome }
    return await withCheckedContinuation(isolation: isolation) { continuation in
      let outcome: Outcome? = state.withLock { state in
        if let outcome = state.contents.take() { return outcome }
        precondition(
          state.reader == nil,
          "two tasks read one iterator; make an iterator for each"
        )
        state.reader = continuation
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  private static func wake(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let reader = state.reader, let outcome = state.contents.take() else { return nil }
    state.reader = nil
    return { reader.resume(returning: outcome) }
  }
}

extension NewestValue: MailboxContents {
  var isFull: Bool { false }
  var hasRoom: Bool { true }

  mutating func accept(_ delivery: Delivery) {
    switch delivery {
    case .next(let payload, let epoch): offer(Reply(payload, epoch: epoch))
    case .finished: finish(.success(()))
    case .failed(let error): finish(.failure(error))
    case .interrupted: break
    }
  }
}

extension EventQueue: MailboxContents {
  mutating func accept(_ delivery: Delivery) {
    switch delivery {
    case .next(let payload, let epoch): append(Reply(payload, epoch: epoch))
    case .finished: finish(.success(()))
    case .failed(let error): finish(.failure(error))
    case .interrupted: interrupt()
    }
  }
}
