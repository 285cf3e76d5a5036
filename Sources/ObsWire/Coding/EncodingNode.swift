/// One value while it is being built; containers of the same encoder share it.
final class EncodingNode {
  private enum Kind { case empty, value, object, array }

  private var kind = Kind.empty
  private var value = JSON.null
  private var members: [JSON.Object.Member] = []
  private var elements: [JSON] = []
  /// Nested containers that are being built too, with their places in `members` or `elements`, which hold `null` there.
  private var nested: [(place: Int, node: EncodingNode)] = []

  /// What was built; a type that has encoded nothing is an empty object.
  var resolved: JSON {
    switch kind {
    case .empty:
      return .object([:])
    case .value:
      return value
    case .object:
      guard !nested.isEmpty else { return .object(JSON.Object(unsorted: members)) }
      var members = members
      for (place, node) in nested { members[place].value = node.resolved }
      return .object(JSON.Object(unsorted: members))
    case .array:
      guard !nested.isEmpty else { return .array(elements) }
      var elements = elements
      for (place, node) in nested { elements[place] = node.resolved }
      return .array(elements)
    }
  }

  /// The number of elements so far.
  var count: Int { elements.count }

  func becomeObject() {
    switch (kind, value) {
    case (.empty, _): break
    case (.value, .object(let object)): members = Array(object)
    case (.object, _): return
    default: preconditionFailure("a type encodes itself as an object and as another kind")
    }
    kind = .object
  }

  func becomeArray() {
    switch (kind, value) {
    case (.empty, _): break
    case (.value, .array(let list)): elements = list
    case (.array, _): return
    default: preconditionFailure("a type encodes itself as a list and as another kind")
    }
    kind = .array
  }

  func set(_ json: JSON) {
    kind = .value
    value = json
  }

  func set(_ json: JSON, forKey key: String) { members.append((key, json)) }

  func append(_ json: JSON) { elements.append(json) }

  /// The node of a nested container; asking twice for one key gives the same.
  func nestedNode(forKey key: String) -> EncodingNode {
    for (place, node) in nested where UTF8Order.equal(members[place].key, key) { return node }
    let node = EncodingNode()
    nested.append((members.count, node))
    members.append((key, .null))
    return node
  }

  /// The node of a nested container behind the elements so far.
  func nestedElement() -> EncodingNode {
    let node = EncodingNode()
    nested.append((elements.count, node))
    elements.append(.null)
    return node
  }
}
