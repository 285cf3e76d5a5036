/// Follows which values of one connection belong to one consistent cut.
///
/// All values of a cut have the same rev, and all but the last say `more` (PROTOCOL.md). Answers and events may stand
/// between them. The last one never comes when it was of an operation that this client ended in the meantime, so a
/// cut is also over when a value of another rev comes, or when it has been open for ``patience``.
struct CutTracker {
  /// How long the announced rest of a cut may take before what is there is shown without it.
  static let patience: Duration = .seconds(1)

  /// The cut of which more values were announced.
  private var open: (number: Int, rev: Int64?)?
  private var lastNumber = 0
  /// The cut that the timer was set for.
  private var watched: Int?

  /// What a `next` means for the cuts.
  struct Step: Equatable {
    /// The cut before is over, without this value.
    var endsBefore = false
    /// The cut is over, with this value.
    var endsAfter = false
    /// A timer is wanted.
    var startsTimer = false
  }

  /// Whether more values of a cut are awaited.
  var isOpen: Bool { open != nil }

  /// Takes a `next`; `isValue` tells the values of live queries from answers and events.
  mutating func next(rev: Int64?, more: Bool, isValue: Bool) -> Step {
    var step = Step()
    if isValue, let open, open.rev != rev {
      self.open = nil
      step.endsBefore = true
    }
    if more {
      step.startsTimer = begin(rev)
    } else if open == nil || open?.rev == rev {
      open = nil
      step.endsAfter = true
    }
    return step
  }

  /// Forgets the cut, as when the connection is gone, and its timer with it.
  mutating func reset() {
    open = nil
    watched = nil
  }

  /// The time of the timer is up: whether the cut that it was set for is over, and whether it is wanted again.
  mutating func timeIsUp() -> Step {
    guard let open else {
      watched = nil
      return Step()
    }
    guard open.number == watched else {
      watched = open.number
      return Step(startsTimer: true)
    }
    reset()
    return Step(endsAfter: true)
  }

  private mutating func begin(_ rev: Int64?) -> Bool {
    guard open == nil else { return false }
    lastNumber += 1
    open = (lastNumber, rev)
    guard watched == nil else { return false }
    watched = lastNumber
    return true
  }
}
