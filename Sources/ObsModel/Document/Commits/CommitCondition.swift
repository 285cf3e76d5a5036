import ObsWire

/// What must be at a place for a commit to be applied: `If-Match` of HTTP (RFC 9110, section 13.1.1).
public struct CommitCondition: Sendable, Hashable {
  /// The place.
  public let pointer: JSONPointer
  /// Entity tags: a ``Digest`` in quotes; `*` is anything that is there.
  public let tags: [String]

  /// Makes a condition.
  public init(pointer: JSONPointer, tags: [String]) {
    self.pointer = pointer
    self.tags = tags
  }
}

extension Document {
  func check(_ condition: CommitCondition) throws(CommitError) {
    let tag = snapshot(condition.pointer).map { "\"\(Digest.of($0))\"" }
    if let tag, condition.tags.contains(tag) || condition.tags.contains("*") { return }
    throw CommitError(
      .preconditionFailed,
      tag.map { "If-Match does not name what is there, which is \($0)" }
        ?? "If-Match is given, but nothing is there",
      at: condition.pointer
    )
  }
}
