public import ObsWire

/// Changes of a document that are applied together or not at all.
///
/// Made of JSON anywhere, then sent to the document's actor.
///
///     let commit = try Commit(patch: [["op": "replace", "path": "/issues/i02/state", "value": "closed"]], ifSeq: 41)
///     let applied = try document.apply(commit)
public struct Commit: Sendable {
  /// What is changed.
  public enum Change: Sendable {
    /// The operations of a JSON Patch (RFC 6902), in order.
    case patch([PatchOperation])
    /// A JSON Merge Patch (RFC 7396) of what is at a place.
    case merge(at: JSONPointer, JSON)
  }

  /// What is changed.
  public let change: Change

  /// Refuses the commit with `conflict` if what it touches was changed after this place in the log.
  public let ifSeq: Int64?

  /// Refuses the commit with `precondition-failed` unless this is there.
  public var condition: CommitCondition?

  /// Reads a JSON Patch.
  ///
  /// - Parameters:
  ///   - patch: the list of operations.
  ///   - base: what the operations' pointers start from.
  ///   - ifSeq: refuses the commit if what it touches was changed after this place.
  /// - Throws: `patch-failed` with the operation that is malformed; `number-range`.
  public init(
    patch: JSON,
    at base: JSONPointer = JSONPointer(tokens: []),
    ifSeq: Int64? = nil
  ) throws(CommitError) {
    guard case .array(let elements) = patch else {
      throw CommitError(.patchFailed, "a patch must be a list of operations, but is \(patch.kind)")
    }
    var operations: [PatchOperation] = []
    operations.reserveCapacity(elements.count)
    for index in elements.indices {
      do throws(CommitError) {
        operations.append(try PatchOperation(elements[index], base: base))
      } catch {
        throw error.of(op: index)
      }
    }
    change = .patch(operations)
    self.ifSeq = ifSeq
  }

  /// Makes a JSON Merge Patch: members are set, members that are null are removed, lists are replaced whole.
  ///
  /// - Parameters:
  ///   - merge: the patch.
  ///   - place: where it applies.
  ///   - ifSeq: refuses the commit if what it touches was changed after this place in the log.
  /// - Throws: `number-range`.
  public init(
    merge: JSON,
    at place: JSONPointer = JSONPointer(tokens: []),
    ifSeq: Int64? = nil
  ) throws(CommitError) {
    try merge.checkNumbers(at: place)
    change = .merge(at: place, merge)
    self.ifSeq = ifSeq
  }
}

/// What became of a commit.
public struct Applied: Sendable, Hashable {
  /// The commit's place.
  public let seq: Int64
  /// Whether it changed anything; a write of equal values does not.
  public let changed: Bool
}
