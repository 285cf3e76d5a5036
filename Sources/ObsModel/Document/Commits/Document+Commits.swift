import ObsWire

extension Document {
  /// Applies a commit, all of it or nothing, and wakes the live queries that have read what it changed.
  ///
  /// - Parameters:
  ///   - commit: the changes.
  ///   - seq: the commit's place in the log; above ``seq``. The next number by default.
  ///   - limits: bounds on depth and copies; ``Commit/check(_:)`` has to be asked for the others.
  /// - Returns: the place, and whether anything changed.
  /// - Throws: why the commit is refused; then nothing has changed and nobody is woken.
  @discardableResult
  public func apply(
    _ commit: Commit,
    at seq: Int64? = nil,
    limits: CommitLimits = .unlimited
  ) throws(CommitError) -> Applied {
    let seq = seq ?? self.seq + 1
    precondition(seq > self.seq, "commits are applied in the order of the log")
    if let condition = commit.condition { try check(condition) }
    if let after = commit.ifSeq { try checkUnchanged(commit, after: after) }
    let changed = try transact(at: seq, limits: limits) { () throws(CommitError) in
      switch commit.change {
      case .patch(let operations):
        for index in operations.indices {
          do throws(CommitError) {
            try apply(operations[index])
          } catch {
            throw error.of(op: index)
          }
        }
      case .merge(let place, let patch):
        try merge(patch, at: place)
      }
    }
    return Applied(seq: seq, changed: changed)
  }

  /// Runs edits as one commit; says whether they changed anything.
  func transact(
    at seq: Int64,
    limits: CommitLimits,
    _ edits: () throws(CommitError) -> Void
  ) throws(CommitError) -> Bool {
    precondition(context.reader == nil, "a query must not change the document that it reads")
    precondition(transaction == nil, "a commit is being applied")
    transaction = Transaction(number: context.tick(), limits: limits)
    do throws(CommitError) {
      try edits()
    } catch {
      let undo = transaction?.undo ?? []
      // Without a transaction nobody is woken and nothing is marked.
      transaction = nil
      for edit in undo.reversed() { perform(edit) }
      throw error
    }
    let done = transaction
    transaction = nil
    self.seq = seq
    guard let done, !done.touched.isEmpty else { return false }
    marks.apply(done.touched, at: seq)
    for cell in done.woken { cell.fire(at: context.tick()) }
    return true
  }

  private func checkUnchanged(_ commit: Commit, after seq: Int64) throws(CommitError) {
    for (op, place) in commit.touchedPlaces {
      let changed = marks.lastChange(at: place.tokens, in: content)
      guard changed > seq else { continue }
      let unit = JSONPointer(tokens: Array(place.tokens.prefix(2)))
      throw CommitError(
        .conflict,
        "`\(unit)` was changed at \(changed), after \(seq)",
        op: op,
        pointer: unit.description
      )
    }
  }
}

extension Commit {
  /// The places that the commit reads or writes, with the operation; as fine as `ifSeq` is.
  fileprivate var touchedPlaces: [(op: Int?, place: JSONPointer)] {
    switch change {
    case .patch(let operations):
      return operations.indices.flatMap { index -> [(op: Int?, place: JSONPointer)] in
        let operation = operations[index]
        switch operation.kind {
        case .move(let from), .copy(let from): return [(index, from), (index, operation.path)]
        case .add, .remove, .replace, .test: return [(index, operation.path)]
        }
      }
    case .merge(let place, let patch):
      return Self.places(of: patch, at: place).map { (nil, $0) }
    }
  }

  private static func places(of patch: JSON, at place: JSONPointer) -> [JSONPointer] {
    guard place.tokens.count < 2, case .object(let members) = patch else { return [place] }
    return members.flatMap { places(of: $0.value, at: place.appending($0.key)) }
  }
}
