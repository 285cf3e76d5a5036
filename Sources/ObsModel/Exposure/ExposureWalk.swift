internal import ObsQuery
internal import ObsWire

/// One reading of a whole subtree: where it is, so that a model that leads back to itself does not run forever.
///
/// It travels as the scope from a node to its children.
@ObsActor
final class ExposureWalk {
  /// The deepest nesting that is written or copied; the depth of JSON that is read is the same by default.
  static let greatestDepth = 64
  /// The most values that one copy of a subtree holds; what comes behind is null.
  ///
  /// (What is written is bounded by its bytes.)
  static let greatestCopy = 1_000_000

  /// The containers on the way from the top to here.
  private var path: [ObjectIdentifier] = []
  private var copied = 0

  /// The walk that a scope stands for, or a new one.
  static func of(_ scope: ScanScope?) -> ExposureWalk { scope as? ExposureWalk ?? ExposureWalk() }

  /// Steps into a container; false if this must not be.
  func enter(_ identity: ObjectIdentifier) -> Bool {
    guard path.count < ExposureWalk.greatestDepth, !path.contains(identity) else { return false }
    path.append(identity)
    return true
  }

  /// Steps out of the container that was entered last.
  func leave() { path.removeLast() }

  /// Why a container cannot be written.
  var refusal: QueryError {
    QueryError(
      .resultTooLarge,
      path.count < ExposureWalk.greatestDepth
        ? "the value contains an object that leads back to itself"
        : "the value nests deeper than \(ExposureWalk.greatestDepth) levels",
      hint: "name the fields that you want: items[*].{title: title}"
    )
  }

  /// Copies a child.
  func snapshot(_ value: Value) -> JSON {
    copied += 1
    guard copied <= ExposureWalk.greatestCopy else { return .null }
    if case .node(let node, _) = value { return node.snapshot(self) }
    return value.json
  }

  /// Writes a child.
  func write(
    _ value: Value,
    to writer: inout JSONWriter,
    maximumBytes: Int
  ) throws(QueryError) {
    let limit = max(0, maximumBytes - writer.bytes.count)
    if case .node(let node, _) = value {
      try Value.node(node, self).write(to: &writer, limit: limit)
    } else {
      try value.write(to: &writer, limit: limit)
    }
  }
}
