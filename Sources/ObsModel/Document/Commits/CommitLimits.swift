import ObsWire

/// What a server admits; the library itself takes any commit (but see ``Document/maximumDepth``).
public struct CommitLimits: Sendable, Hashable {
  /// The most operations of one patch; default 1,000.
  public var operations: Int

  /// The deepest nesting of containers that a commit may leave behind; default 64, at most ``Document/maximumDepth``.
  public var depth: Int

  /// The most values that the `copy` operations of one patch may make; default 100,000.
  ///
  /// Without it thirty of them, each a copy of the copies before, would fill any memory.
  public var copiedValues: Int

  /// Whether `add`, `replace`, `move` and `copy` may replace the whole document; default false.
  public var allowsRootReplacement: Bool

  /// Makes limits; what is not given has its default.
  public init(
    operations: Int = 1000,
    depth: Int = 64,
    copiedValues: Int = 100_000,
    allowsRootReplacement: Bool = false
  ) {
    self.operations = operations
    self.depth = depth
    self.copiedValues = copiedValues
    self.allowsRootReplacement = allowsRootReplacement
  }

  /// No limit but ``Document/maximumDepth``; for trusted commits.
  public static let unlimited = CommitLimits(
    operations: .max,
    depth: .max,
    copiedValues: .max,
    allowsRootReplacement: true
  )
}

extension Commit {
  /// Checks what can be said of a commit without the document.
  ///
  /// - Throws: `too-large` with the limit `operations`; `forbidden` for what replaces or removes the whole document.
  public func check(_ limits: CommitLimits) throws(CommitError) {
    guard case .patch(let operations) = change else { return }
    guard operations.count <= limits.operations else {
      throw CommitError(
        .tooLarge,
        "a patch has at most \(limits.operations) operations, but this one has \(operations.count)",
        limit: "operations"
      )
    }
    guard !limits.allowsRootReplacement else { return }
    for index in operations.indices where operations[index].writesRoot {
      throw CommitError(
        .forbidden,
        "the whole document cannot be replaced or removed; `$merge` at `` changes its members",
        op: index,
        pointer: ""
      )
    }
  }
}

extension PatchOperation {
  fileprivate var writesRoot: Bool {
    switch kind {
    case .test: false
    case .move(let from): path.isRoot || from.isRoot
    case .add, .copy, .remove, .replace: path.isRoot
    }
  }
}
