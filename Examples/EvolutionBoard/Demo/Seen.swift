import ObsClient

/// What one client has been shown: the newest values, and what it counted on the way.
struct Seen: Sendable {
  var inReview: Int?
  var byState: [String: Int]?
  var anyReturnedThisYear: Bool?
  var newest: [Headline]?
  var check: Check?
  var progress: Progress?
  /// The last few events, newest first.
  var transitions: [Transition] = []

  var frames = 0
  /// States passed over between the values that arrived.
  var skipped = 0
  var events = 0
  /// Values, or pairs of values of one rev, whose parts are not of the same moment.
  var torn = 0
  /// Why a sequence ended, if it ended badly.
  var problem: String?

  /// Proposals in review at a rev, whichever query said so first.
  private var inReviewByRev: [Int64: Int] = [:]

  /// Whether the first value of every query has arrived.
  var isComplete: Bool {
    inReview != nil && byState != nil && anyReturnedThisYear != nil && newest != nil
      && check != nil && progress != nil
  }

  mutating func add(_ event: Transition) {
    events += 1
    transitions.insert(event, at: 0)
    if transitions.count > 3 { transitions.removeLast() }
  }

  /// Three queries tell how many proposals are in review; all frames of one rev are of the same
  /// moment, so they must agree.
  mutating func compare<Value>(_ inReview: Int, of frame: Frame<Value>) {
    // A query that the breaker held back is outside the cut, and says so.
    if frame.deferred { return }
    let first = inReviewByRev[frame.rev, default: inReview]
    if first != inReview { torn += 1 }
    inReviewByRev[frame.rev] = first
  }
}
