/// What clients must see, worked out from the files alone, without a model or a query.
struct Expectation: Sendable {
  /// Operations after so many transactions; the first element is before the first one.
  let operations: [Int]
  /// Proposals after so many transactions.
  let proposals: [Int]
  /// Events of `transitions` in all.
  let transitions: Int

  // The last values, from the outcome's own file.
  let inReview: Int
  let byState: [String: Int]
  let anyReturnedThisYear: Bool
  let newest: [Headline]

  init(_ history: History, limit: Int) {
    var states: [String: ProposalState] = [:]
    var transitions = 0
    var operations = [0]
    var proposals = [0]
    for transaction in history.transactions {
      for change in transaction.changes {
        switch change {
        case .add(let record):
          states[record.id] = record.state
          transitions += 1
        case .remove(let id): states[id] = nil
        case .replace(let id, .state(let state)):
          if states.updateValue(state, forKey: id) != state { transitions += 1 }
        case .replace: break
        }
      }
      operations.append((operations.last ?? 0) + transaction.changes.count)
      proposals.append(states.count)
    }
    self.operations = operations
    self.proposals = proposals
    self.transitions = transitions

    let outcome = history.outcome.values
    let year = history.transactions.last?.at.prefix(4)
    inReview = outcome.count { $0.state == .activeReview }
    byState = Dictionary(grouping: outcome, by: \.state.rawValue).mapValues(\.count)
    anyReturnedThisYear = outcome.contains { $0.state == .returned && $0.updated.prefix(4) == year }
    newest = outcome.sorted { ($0.created, $0.number) > ($1.created, $1.number) }.prefix(limit).map
    {
      Headline(id: $0.id, title: $0.title, state: $0.state)
    }
  }

  /// Whether a value of `check` is of one moment: all its parts belong to the same transaction.
  func agrees(_ check: Check) -> Bool {
    operations.indices.contains(check.transaction)
      && check.operations == operations[check.transaction]
      && check.proposals == proposals[check.transaction]
      && check.sumOfStates == check.proposals
      && check.tallyInReview == check.inReview
  }

  /// What in a client's last values is not as in `swift-evolution.json`; empty when all is.
  func differences(_ seen: Seen) -> [String] {
    var differences: [String] = []
    func compare<Value: Equatable>(_ name: String, _ value: Value?, _ expected: Value) {
      guard value != expected else { return }
      let shown = value.map { "\($0)" } ?? "nothing"
      differences.append("\(name) is \(shown), but should be \(expected)")
    }
    compare("inReview", seen.inReview, inReview)
    compare("byState", seen.byState, byState)
    compare("anyReturnedThisYear", seen.anyReturnedThisYear, anyReturnedThisYear)
    compare("newest", seen.newest, newest)
    compare("check.transaction", seen.check?.transaction, operations.count - 1)
    compare("check.proposals", seen.check?.proposals, proposals.last ?? 0)
    return differences
  }
}
