import ObsWire

/// What all nodes of one document share: names, who is reading, and counts.
///
/// It holds no node.
final class DocumentContext {
  let names: NameTable
  let emptyShape: Shape

  /// The evaluation that is running, if one is: only then are reads noted.
  var reader: ReadSet?

  /// Given to containers whose whole subtree is already depended on.
  let covered = CoveredScope()

  /// Cells that live queries depend on now.
  var cellCount = 0

  /// Counts evaluations and fired cells, so that both have an order.
  var clock: UInt64 = 0

  init() {
    names = NameTable()
    emptyShape = names.shape([])
  }

  func tick() -> UInt64 {
    clock += 1
    return clock
  }

  /// Makes content of a JSON value; `depth` counts the containers around it.
  ///
  /// - Throws: `too-large` for a value that would stand deeper than the limit.
  func make(
    _ json: JSON,
    depth: Int,
    limit: Int = Document.maximumDepth
  ) throws(CommitError) -> Content {
    switch json {
    case .object(let object):
      try Document.check(depth: depth, limit: limit)
      return .node(try make(object, depth: depth, limit: limit))
    case .array(let elements):
      try Document.check(depth: depth, limit: limit)
      var contents: [Content] = []
      contents.reserveCapacity(elements.count)
      for element in elements { contents.append(try make(element, depth: depth + 1, limit: limit)) }
      return .node(ListNode(self, contents))
    case .null, .bool, .int, .double, .string:
      return Content(scalar: json) ?? .null
    }
  }

  private func make(
    _ object: JSON.Object,
    depth: Int,
    limit: Int
  ) throws(CommitError) -> ObjectNode {
    if object.count <= ObjectNode.recordFields, object.first?.value.isContainer != true {
      var values: [Content] = []
      values.reserveCapacity(object.count)
      for member in object { values.append(try make(member.value, depth: depth + 1, limit: limit)) }
      return ObjectNode(self, shape: names.shape(object.lazy.map(\.key)), values: values)
    }
    let node = ObjectNode(self)
    for member in object {
      node.append(member.key, try make(member.value, depth: depth + 1, limit: limit))
    }
    return node
  }
}

extension JSON {
  /// Whether this is an object or an array.
  var isContainer: Bool {
    switch self {
    case .object, .array: true
    case .null, .bool, .int, .double, .string: false
    }
  }
}
