internal import ObsWire

/// Keeps events in order for their one reader, and says when it is too far behind.
struct EventQueue: Sendable {
  private var waiting: [(reply: Reply, afterGap: Bool)] = []
  /// Where the oldest event that still waits is in `waiting`; the part before it is let go when it is the larger one.
  private var head = 0
  private var isAfterGap = false
  private var ending: Result<Void, ClientError>?
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
  }

  var isOver: Bool { ending != nil }
  var count: Int { waiting.count - head }
  /// Whether no more should be read from the socket.
  var isFull: Bool { count >= capacity }
  /// Whether reading may go on after the queue was full: at half, so that the socket is not switched for each event.
  var hasRoom: Bool { count <= capacity / 2 }

  mutating func append(_ reply: Reply) {
    guard ending == nil else { return }
    waiting.append((reply, isAfterGap))
    isAfterGap = false
  }

  /// The connection was lost: events may be missing before the next one.
  mutating func interrupt() {
    isAfterGap = true
  }

  /// Takes the end; events that still wait are shown before it.
  mutating func finish(_ ending: Result<Void, ClientError>) {
    guard self.ending == nil else { return }
    self.ending = ending
  }

  /// Ends at once: nothing more is shown.
  mutating func abandon() {
    waiting = []
    head = 0
    ending = .success(())
  }

  /// What the reader gets now; nil when it has to wait.
  mutating func take() -> Result<(reply: Reply, afterGap: Bool)?, ClientError>? {
    if head < waiting.count {
      let event = waiting[head]
      head += 1
      if head * 2 >= waiting.count {
        waiting.removeFirst(head)
        head = 0
      }
      return .success(event)
    }
    guard let ending else { return nil }
    self.ending = .success(())
    return ending.map { nil }
  }
}
