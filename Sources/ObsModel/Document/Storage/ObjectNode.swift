import ObsQuery
import ObsWire

/// An object: a record, stored as a shape and its values, or a map of many keys.
///
/// Which of the two decides storage alone; nothing that can be seen depends on it. An object with more than
/// ``recordFields`` members is a map, and so is one whose first member is a container: a collection of records by id.
final class ObjectNode: Node {
  /// The most fields of a record.
  static let recordFields = 32

  private var shape: Shape
  private var values: [Content]
  /// The members of a map; nil for a record.
  private var map: KeyedBlocks?

  /// Makes an empty map.
  override init(_ context: DocumentContext) {
    shape = context.emptyShape
    values = []
    map = KeyedBlocks()
    super.init(context)
  }

  /// Makes a record.
  init(_ context: DocumentContext, shape: Shape, values: [Content]) {
    self.shape = shape
    self.values = values
    super.init(context)
    for index in values.indices {
      guard let node = values[index].node else { continue }
      node.parent = self
      node.key = shape.names[index]
    }
  }

  deinit { forEachChild { $0.parent = nil } }

  override var form: ReadableForm { .object }

  /// The members that it has now.
  var members: KeyedBlocks.Image {
    map?.image ?? KeyedBlocks.Image(values.isEmpty ? [] : [(shape.names, values)])
  }

  var memberCount: Int { map?.count ?? values.count }

  /// The member of a key, without noting that it was read.
  subscript(key: String) -> Content? {
    if let map { return map[key] }
    let place = shape.place(of: key)
    return place.found ? values[place.index] : nil
  }

  /// The member that a query's text names, without noting that it was read.
  subscript(name: MemberName) -> Content? {
    if let map { return map[name.text] }
    return shape.place(of: context.names.number(of: name)).map { values[$0] }
  }

  /// Sets or removes (nil) a member; says what was there.
  ///
  /// Only ``Document/perform(_:)`` and the making of new nodes call this: cells hear nothing of it.
  func set(_ key: String, _ content: Content?) -> Content? {
    let old = store(key, content)
    if let node = old?.node, node !== content?.node { node.parent = nil }
    if let node = content?.node {
      node.parent = self
      node.key = key
    }
    return old
  }

  /// Adds a member to a new map, fast if its key is behind all others.
  func append(_ key: String, _ content: Content) {
    guard let map else { return _ = set(key, content) }
    map.append(key, content)
    content.node?.parent = self
    content.node?.key = key
  }

  private func store(_ key: String, _ content: Content?) -> Content? {
    if let map { return map.set(key, content) }
    let place = shape.place(of: key)
    switch (place.found, content) {
    case (true, let content?):
      let old = values[place.index]
      values[place.index] = content
      return old
    case (true, nil):
      shape = shape.removing(at: place.index)
      return values.remove(at: place.index)
    case (false, let content?):
      if values.count == ObjectNode.recordFields || (values.isEmpty && content.node != nil) {
        return becomeMap().set(key, content)
      }
      shape = shape.adding(key, at: place.index)
      values.insert(content, at: place.index)
      return nil
    case (false, nil):
      return nil
    }
  }

  private func becomeMap() -> KeyedBlocks {
    let map = KeyedBlocks()
    for index in values.indices { _ = map.set(shape.names[index], values[index]) }
    self.map = map
    shape = context.emptyShape
    values = []
    return map
  }

  /// Walks over the members in byte order until `body` says false, without noting that they were read.
  func forEach<Failure: Error>(
    _ body: (String, Content) throws(Failure) -> Bool
  ) throws(Failure) {
    if let map { return try map.forEach(body) }
    for index in values.indices {
      guard try body(shape.names[index], values[index]) else { return }
    }
  }

  override func forEachChild(_ body: (Node) -> Void) {
    forEach { _, content in
      if let node = content.node { body(node) }
      return true
    }
  }

  override var json: JSON {
    var members: [JSON.Object.Member] = []
    members.reserveCapacity(memberCount)
    forEach { key, content in
      members.append((key, content.json))
      return true
    }
    return .object(JSON.Object(members))
  }

  override func equals(_ json: JSON) -> Bool {
    guard case .object(let object) = json, object.count == memberCount else { return false }
    var index = 0
    var isEqual = true
    forEach { key, content in
      let other = object[index]
      index += 1
      isEqual = UTF8Order.equal(key, other.key) && content.equals(other.value)
      return isEqual
    }
    return isEqual
  }

  // MARK: What queries read (Cells/Reading.swift)

  override func count(_ scope: ScanScope?) -> Int { readCount(scope) }
  override func member(_ name: MemberName, _ scope: ScanScope?) -> Value? {
    readMember(name, scope)
  }
  override func member(key: String, _ scope: ScanScope?) -> Value? { readMember(key: key, scope) }
  override func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) { try readKeys(scope, body) }
  override func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) { try readMembers(scope, body) }
  override func matching(
    _ name: MemberName,
    _ value: JSON,
    _ scope: ScanScope?
  ) -> (any Readable)? { partition(name, value, scope) }
  override var indexedCount: Int { memberCount }

  override func write(to writer: inout JSONWriter, maximumBytes: Int) throws(QueryError) {
    writer.beginObject()
    try forEach { (key: String, content: Content) throws(QueryError) -> Bool in
      writer.key(key)
      try content.write(to: &writer, maximumBytes: maximumBytes)
      return true
    }
    writer.endObject()
  }
}

extension Content {
  func write(to writer: inout JSONWriter, maximumBytes: Int) throws(QueryError) {
    if let node {
      try node.write(to: &writer, maximumBytes: maximumBytes)
    } else {
      try writer.write(scalar ?? .null, maximumBytes: maximumBytes)
    }
  }
}
