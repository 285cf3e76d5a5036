import ObsServer
import Observation

/// All proposals, and how far the replay of their history has come.
///
/// Each method changes the board in one go, without a suspension: that is a transaction, and no
/// query ever sees half of it.
@ObsActor @Observable
final class Board {
  private(set) var proposals: [String: Proposal] = [:]
  /// Transactions replayed so far.
  private(set) var transaction = 0
  /// Operations applied so far.
  private(set) var operations = 0
  /// The day of the last transaction.
  private(set) var day = ""
  /// Its year, which is this year as far as the board is concerned.
  private(set) var year = 0
  /// Proposals by state, kept up to date operation by operation; the query `check` compares them
  /// with the proposals themselves.
  private(set) var tally: [ProposalState: Int] = [:]
  /// Times that ``setState(_:to:at:)`` has changed something.
  private(set) var edits = 0

  let transitions = Transitions()

  // MARK: The history

  /// Applies one transaction of the history.
  ///
  /// - Throws: ``MisfitError`` when an operation does not fit; the shipped history always does.
  func apply(_ transaction: Transaction) throws(MisfitError) {
    for change in transaction.changes {
      try apply(change, at: transaction.at)
      operations += 1
    }
    day = String(transaction.at.prefix(10))
    year = Int(day.prefix(4)) ?? year
    self.transaction += 1
  }

  private func apply(_ change: Change, at time: String) throws(MisfitError) {
    switch change {
    case .add(let record):
      let proposal = Proposal(record)
      proposals[record.id] = proposal
      tally[record.state, default: 0] += 1
      emit(proposal, from: nil, at: time)
    case .remove(let id):
      let proposal = try known(id)
      proposals[id] = nil
      tally[proposal.state, default: 0] -= 1
    case .replace(let id, let field):
      let proposal = try known(id)
      switch field {
      case .title(let title): proposal.title = title
      case .release(let release): proposal.release = release
      case .updated(let day): proposal.updated = day
      case .state(let state): move(proposal, to: state, at: time)
      }
    }
  }

  private func known(_ id: String) throws(MisfitError) -> Proposal {
    guard let proposal = proposals[id] else {
      throw MisfitError("the history changes `\(id)` before it is added")
    }
    return proposal
  }

  /// Empties the board, to replay the history again.
  func clear() {
    proposals = [:]
    tally = [:]
    (transaction, operations, day, year, edits) = (0, 0, "", 0, 0)
  }

  // MARK: States

  /// Moves a proposal to a state; nil if there is no such proposal.
  func setState(_ id: String, to state: ProposalState, at time: String) -> StateChange? {
    guard let proposal = proposals[id] else { return nil }
    let change = StateChange(id: id, from: proposal.state, to: state)
    if move(proposal, to: state, at: time) { edits += 1 }
    return change
  }

  @discardableResult
  private func move(_ proposal: Proposal, to state: ProposalState, at time: String) -> Bool {
    let before = proposal.state
    guard before != state else { return false }
    proposal.state = state
    tally[before, default: 0] -= 1
    tally[state, default: 0] += 1
    emit(proposal, from: before, at: time)
    return true
  }

  private func emit(_ proposal: Proposal, from before: ProposalState?, at time: String) {
    transitions.emit(
      Transition(
        id: proposal.id,
        title: proposal.title,
        from: before,
        to: proposal.state,
        at: time
      )
    )
  }
}
