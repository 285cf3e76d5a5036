import ObsWire

/// Members of the root that commits may not write: hosted models, and the server's own names.
///
/// Models and the document's members share one namespace (PROTOCOL.md, names). Asked when a commit is admitted, not when it
/// is applied: what models a process hosts is no part of a document's history.
public struct ReservedNames: Sendable {
  private var hosted: Set<ByteKey> = []

  /// Whether names that begin with `_` are refused, too.
  public var reservesUnderscore: Bool

  /// Makes a set of names.
  public init(hosted names: some Sequence<String> = [], reservesUnderscore: Bool = false) {
    self.reservesUnderscore = reservesUnderscore
    for name in names { hosted.insert(ByteKey(name)) }
  }

  /// Refuses commits into a name from now on.
  public mutating func insert(_ name: String) { hosted.insert(ByteKey(name)) }

  /// Takes a name back.
  public mutating func remove(_ name: String) { hosted.remove(ByteKey(name)) }

  /// Checks where a commit writes.
  ///
  /// - Throws: `read-only` for a hosted model, `forbidden` for a name of the server's own, with the operation.
  public func check(_ commit: Commit) throws(CommitError) {
    switch commit.change {
    case .merge(let place, let patch): try check(place, patch)
    case .patch(let operations):
      for index in operations.indices {
        do throws(CommitError) { try check(operations[index]) } catch { throw error.of(op: index) }
      }
    }
  }

  private func check(_ operation: PatchOperation) throws(CommitError) {
    switch operation.kind {
    case .test: return
    case .add(let value, _), .replace(let value): try check(operation.path, value)
    case .remove: try check(operation.path, nil)
    case .copy: try checkTarget(operation.path)
    case .move(let from):
      try check(from, nil)
      try checkTarget(operation.path)
    }
  }

  /// Checks where something goes of which only the document knows what it is.
  private func checkTarget(_ path: JSONPointer) throws(CommitError) {
    guard path.isRoot, reservesUnderscore || !hosted.isEmpty else { return try check(path, nil) }
    throw CommitError(
      .forbidden,
      "what is copied or moved to the root could take a name of the server's",
      at: path
    )
  }

  /// Checks a place; `value` is what would stand there.
  private func check(_ path: JSONPointer, _ value: JSON?) throws(CommitError) {
    if let name = path.tokens.first { return try check(name) }
    for member in value?.objectValue ?? [:] { try check(member.key) }
  }

  private func check(_ name: String) throws(CommitError) {
    if hosted.contains(ByteKey(name)) {
      throw CommitError(
        .readOnly,
        "`\(name)` is a hosted model: it is changed by its commands, not by commits",
        at: JSONPointer(tokens: [name])
      )
    }
    if reservesUnderscore, name.utf8.first == UInt8(ascii: "_") {
      throw CommitError(
        .forbidden,
        "`\(name)` is reserved: names that begin with `_` belong to the server",
        at: JSONPointer(tokens: [name])
      )
    }
  }
}
