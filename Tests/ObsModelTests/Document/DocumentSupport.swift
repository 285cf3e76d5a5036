import Foundation
import ObsModel
import ObsQuery
import ObsWire
import Observation
import Testing

/// The suites of others, read from the folder that `OBS_CONFORMANCE` names; never copied here.
enum Conformance {
  static let folder = ProcessInfo.processInfo.environment["OBS_CONFORMANCE"]
  static let comment: Comment = "set OBS_CONFORMANCE to the folder of the suites to run this"

  static func json(_ path: String) throws -> JSON {
    let data = try Data(contentsOf: URL(filePath: try #require(folder)).appending(path: path))
    if let json = try? JSON(parsing: [UInt8](data), limits: .unlimited) { return json }
    // Two disabled cases of the patch suites name a member twice, which only a lenient parser takes.
    let lenient = try JSONSerialization.jsonObject(with: data)
    let plain = try JSONSerialization.data(withJSONObject: lenient)
    return try JSON(parsing: [UInt8](plain), limits: .unlimited)
  }
}

/// A live query over a document, with the product's own evaluation; counts what it does.
@ObsActor
final class Watch<Output: Sendable & Equatable> {
  let tracker: QueryTracker
  private(set) var values: [Output] = []
  private(set) var evaluations = 0
  private var evaluation: ObservationsEvaluation<Output>?

  /// Starts; ``settled()`` says when it has its first value.
  init(_ document: Document, _ query: @escaping @ObsActor @Sendable (Value) -> Output) {
    let tracker = QueryTracker(document)
    self.tracker = tracker
    let evaluate: @ObsActor @Sendable () -> Output = { [weak self] in
      self?.evaluations += 1
      return tracker.evaluate(query)
    }
    evaluation = ObservationsEvaluation(evaluate) { [weak self] value in
      self?.values.append(value)
      return true
    }
  }

  /// How often it was evaluated while `change` was made and in its turn.
  func evaluations(_ change: @ObsActor () throws -> Void) async rethrows -> Int {
    let before = evaluations
    try change()
    await nextTurn()
    return evaluations - before
  }

  func end() {
    evaluation?.end()
    tracker.end()
  }
}

extension Document {
  /// Applies a patch.
  func patch(_ patch: JSON, ifSeq: Int64? = nil) throws(CommitError) {
    try apply(Commit(patch: patch, ifSeq: ifSeq))
  }

  func replace(_ path: String, _ value: JSON) throws(CommitError) {
    try patch([["op": "replace", "path": .string(path), "value": value]])
  }

  func add(_ path: String, _ value: JSON) throws(CommitError) {
    try patch([["op": "add", "path": .string(path), "value": value]])
  }

  func remove(_ path: String) throws(CommitError) {
    try patch([["op": "remove", "path": .string(path)]])
  }
}

// How the evaluator reads, one step at a time.

extension Value {
  /// A member, or null.
  func member(_ name: String) -> Value {
    guard case .node(let node, let scope) = self else { return .null }
    return node.member(MemberName(name), scope) ?? .null
  }

  /// Members one below the other.
  func path(_ names: String...) -> Value { names.reduce(self) { $0.member($1) } }

  /// What `length` reads.
  var count: Int {
    guard case .node(let node, let scope) = self else { return -1 }
    return node.count(scope)
  }

  /// What `values` and `[*]` read: each member or element.
  func map<Output>(_ body: (String, Value) -> Output) -> [Output] {
    guard case .node(let node, let scope) = self else { return [] }
    var outputs: [Output] = []
    try? node.forEachMember(scope) { (key: String, value: Value) throws(QueryError) -> Bool in
      outputs.append(body(key, value))
      return true
    }
    return outputs
  }

  /// What `values(x)[?name == value]` reads.
  func matching(_ name: String, _ value: JSON) -> Value {
    guard case .node(let node, let scope) = self,
      let partition = node.matching(MemberName(name), value, scope)
    else { return .null }
    return .node(partition, nil)
  }

  func element(_ index: Int) -> Value {
    guard case .node(let node, let scope) = self else { return .null }
    return node.element(index, scope) ?? .null
  }

  var keys: [String] {
    guard case .node(let node, let scope) = self else { return [] }
    var keys: [String] = []
    try? node.forEachKey(scope) { (key: String) throws(QueryError) -> Bool in
      keys.append(key)
      return true
    }
    return keys
  }
}

/// One name of a query's text, kept over several evaluations.
@ObsActor
final class ReusedName {
  private let name: MemberName

  init(_ text: String) { name = MemberName(text) }

  func read(_ document: Document, _ key: String) -> JSON? {
    guard case .node(let node, let scope) = document.root.member(key) else { return nil }
    return node.member(name, scope)?.json
  }
}
