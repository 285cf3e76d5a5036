import ObsServer

/// What the registered queries say.
///
/// Each reads no more than it needs: a retitled proposal wakes ``newest(_:)`` if it is among the
/// newest, and no other query.
extension Board {
  /// How many proposals are in active review.
  var inReview: Int { proposals.values.count { $0.state == .activeReview } }

  /// How many proposals are in each state that occurs.
  var byState: [String: Int] {
    var counts: [String: Int] = [:]
    for proposal in proposals.values { counts[proposal.state.rawValue, default: 0] += 1 }
    return counts
  }

  /// Whether a review of this year has ended with the proposal being returned.
  ///
  /// It looks no further than the first one found, and reads the day of returned proposals only.
  var anyReturnedThisYear: Bool {
    let year = year
    return proposals.values.contains { $0.state == .returned && $0.year == year }
  }

  /// The proposals that were made last.
  func newest(_ limit: Int) -> [Headline] {
    proposals.values.sorted { ($0.created, $0.number) > ($1.created, $1.number) }.prefix(limit).map
    {
      Headline(id: $0.id, title: $0.title, state: $0.state)
    }
  }

  /// Parts of the board that agree between transactions, and only then.
  var check: Check {
    Check(
      transaction: transaction,
      operations: operations,
      proposals: proposals.count,
      sumOfStates: tally.values.reduce(0, +),
      inReview: inReview,
      tallyInReview: tally[.activeReview] ?? 0
    )
  }

  /// How far the replay has come, of so many transactions.
  func progress(of total: Int) -> Progress {
    Progress(transaction: transaction, of: total, day: day, finished: transaction == total)
  }
}

/// A proposal in the answer of `newest`.
struct Headline: Codable, Hashable, Sendable {
  var id: String
  var title: String
  var state: ProposalState
}

/// The answer of `check`.
struct Check: Codable, Hashable, Sendable {
  var transaction: Int
  var operations: Int
  var proposals: Int
  /// The same as `proposals`, added up from the tally.
  var sumOfStates: Int
  var inReview: Int
  /// The same as `inReview`, from the tally.
  var tallyInReview: Int
}

/// The answer of `progress`.
struct Progress: Codable, Hashable, Sendable {
  var transaction: Int
  var of: Int
  var day: String
  var finished: Bool
}

/// The answer of `setState`.
struct StateChange: Codable, Hashable, Sendable {
  var id: String
  var from: ProposalState
  var to: ProposalState
}
