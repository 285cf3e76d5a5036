import Synchronization

/// One call in the future, from ``EventLoop/schedule(after:_:)``.
public final class LoopTimer: Sendable {
  private let state = Atomic<Bool>(false)

  init() {}

  /// Prevents the call, if it has not begun.
  ///
  /// From any thread; on the loop's thread it is certain that the call does not come any more.
  public func cancel() { state.store(true, ordering: .relaxed) }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { state.load(ordering: .relaxed) }
}

/// The calls of a loop that wait for their time: a binary heap by deadline, equal deadlines in the order of their scheduling.
///
/// Cancelled entries leave when their time comes, or together when they are the majority.
struct TimerHeap {
  private struct Entry {
    let deadline: UInt64
    let order: UInt64
    let timer: LoopTimer
    let work: @Sendable () -> Void

    func comes(before other: Entry) -> Bool {
      (deadline, order) < (other.deadline, other.order)
    }
  }
  private var entries: [Entry] = []
  private var nextOrder: UInt64 = 0
  private var compactAt = 64

  /// When the first call is due, in milliseconds; nil when there is none.
  var firstDeadline: UInt64? { entries.first?.deadline }

  mutating func insert(
    _ timer: LoopTimer,
    deadline: UInt64,
    _ work: @escaping @Sendable () -> Void
  ) {
    if entries.count >= compactAt { compact() }
    nextOrder += 1
    entries.append(Entry(deadline: deadline, order: nextOrder, timer: timer, work: work))
    siftUp(entries.count - 1)
  }

  /// Takes the first call whose time has come.
  mutating func popDue(_ now: UInt64) -> (@Sendable () -> Void)? {
    while let first = entries.first, first.deadline <= now || first.timer.isCancelled {
      removeFirst()
      if !first.timer.isCancelled { return first.work }
    }
    return nil
  }

  mutating func removeAll() { entries = [] }

  private mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    siftDown(0)
  }

  private mutating func compact() {
    entries.removeAll { $0.timer.isCancelled }
    entries.sort { $0.comes(before: $1) }
    compactAt = max(64, entries.count * 2)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].comes(before: entries[parent]) else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var first = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < entries.count && entries[child].comes(before: entries[first]) {
        first = child
      }
      guard first != parent else { return }
      entries.swapAt(parent, first)
      parent = first
    }
  }
}
