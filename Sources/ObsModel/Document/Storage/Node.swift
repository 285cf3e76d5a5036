import ObsQuery
import ObsWire

/// What stands at one place of a document: a plain value, or a node for a container.
enum Content {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case node(Node)
}

extension Content {
  /// The node of a container.
  var node: Node? {
    guard case .node(let node) = self else { return nil }
    return node
  }

  /// The plain value; nil for a container.
  var scalar: JSON? {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .node: nil
    }
  }

  /// The content for a plain value; nil for a container.
  init?(scalar json: JSON) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .array, .object: return nil
    }
  }

  /// What a query gets; `scope` is for a container.
  func value(_ scope: ScanScope?) -> Value {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .node(let node): .node(node, scope)
    }
  }

  /// The whole subtree, without noting that it was read.
  var json: JSON { scalar ?? node?.json ?? .null }

  /// Whether the subtree is this JSON value (`3` is `3.0`).
  func equals(_ json: JSON) -> Bool {
    if let node { node.equals(json) } else { scalar == json }
  }
}

/// A container of a document.
///
/// Its home is `ObsActor`, as its document's. Nodes are plain classes, not isolated ones: they are not `Sendable` and only their document, which is isolated, hands
/// them out, so the compiler keeps them on the actor all the same; and the evaluator, which is isolated nowhere, can
/// call them without a conformance that is bound to one actor.
class Node: Readable {
  let context: DocumentContext
  /// Nil for the root, and for what was taken out of the document; a parent that goes says so to its children.
  ///
  /// Not weak: the count of an object that is weakly referenced is kept aside, and each reading of a record would pay.
  unowned var parent: Node?
  /// The key in the parent; empty in a list, where places move.
  var key = ""
  /// What live queries have read here.
  var cells: CellGroup?
  /// The number of the last snapshot that has it.
  var imaged: UInt64 = 0

  init(_ context: DocumentContext) { self.context = context }

  deinit { cells?.forgetNode() }

  var form: ReadableForm { .object }
  func count(_ scope: ScanScope?) -> Int { 0 }
  func member(_ name: MemberName, _ scope: ScanScope?) -> Value? { nil }
  func member(key: String, _ scope: ScanScope?) -> Value? { nil }
  func element(_ index: Int, _ scope: ScanScope?) -> Value? { nil }
  func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {}
  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {}
  func matching(_ name: MemberName, _ value: JSON, _ scope: ScanScope?) -> (any Readable)? { nil }

  var indexedCount: Int { 0 }

  func snapshot(_ scope: ScanScope?) -> JSON {
    noteWhole(scope)
    return json
  }

  func write(
    _ scope: ScanScope?,
    to writer: inout JSONWriter,
    maximumBytes: Int
  ) throws(QueryError) {
    noteWhole(scope)
    try write(to: &writer, maximumBytes: maximumBytes)
  }

  // What reads without noting it.

  var json: JSON { .null }
  func equals(_ json: JSON) -> Bool { false }
  func write(to writer: inout JSONWriter, maximumBytes: Int) throws(QueryError) {}
  /// Calls `body` with every container directly in this one.
  func forEachChild(_ body: (Node) -> Void) {}
}

extension Node {
  /// How many containers this one is in.
  var depth: Int {
    var depth = 0
    var node = self
    while let parent = node.parent {
      depth += 1
      node = parent
    }
    return depth
  }

  /// How deep containers nest in this one; 0 if there are none.
  var height: Int {
    var height = 0
    forEachChild { height = max(height, $0.height + 1) }
    return height
  }

  /// The path from the root for people: `issues/i02`; empty for the root.
  var path: String {
    guard let parent else { return "" }
    var segment = key
    if let list = parent as? ListNode {
      segment = list.elements.firstIndex { $0.node === self }.map { String($0) } ?? "?"
    }
    let above = parent.path
    let token = PointerToken.escaped(segment)
    return above.isEmpty ? token : above + "/" + token
  }
}

extension JSON {
  /// How many values this is, itself included.
  var size: Int {
    switch self {
    case .array(let elements): elements.reduce(1) { $0 + $1.size }
    case .object(let object): object.reduce(1) { $0 + $1.value.size }
    case .null, .bool, .int, .double, .string: 1
    }
  }
}
