internal import ObsWire

// How containers of every form are read. What live nodes are asked is the cost that queries document.

/// Takes an element of a walk; false ends the walk.
typealias ElementBody = (Value) throws(QueryError) -> Bool
/// Takes a member of a walk; false ends the walk.
typealias MemberBody = (String, Value) throws(QueryError) -> Bool

extension Run {
  /// The member that the text names; null when there is none.
  @inline(__always)
  func member(_ name: MemberName, of value: Value, at place: Int) throws(QueryError) -> Value {
    switch value {
    case .members(let object):
      try step(Self.lookupSteps(object.count), at: place)
      if let member = object.value(of: name.text, near: &name.place) { return Value(member) }
      try step(Self.lookupSteps(object.count), at: place)
      return .null
    case .node(let node, let scope):
      try step(Self.readSteps(scope), at: place)
      return node.member(name, scope) ?? .null
    case .object(let object):
      try step(Self.lookupSteps(object.count), at: place)
      if let member = object.value(of: name.text, near: &name.place) { return member }
      try step(Self.lookupSteps(object.count), at: place)
      return .null
    default:
      try step(at: place)
      return .null
    }
  }

  /// The member of a computed key; nil when there is none.
  func member(key: String, of value: Value, at place: Int) throws(QueryError) -> Value? {
    switch value {
    case .members(let object):
      try step(Self.lookupSteps(object.count), at: place)
      return object[key].map(Value.init)
    case .node(let node, let scope):
      try step(2 * Self.nodeSteps + Self.readSteps(scope), at: place)
      return node.member(key: key, scope)
    case .object(let object):
      try step(Self.lookupSteps(object.count), at: place)
      return object[key]
    default: return nil
    }
  }

  /// The element at a place from 0 that exists.
  func element(_ index: Int, of value: Value, at place: Int) throws(QueryError) -> Value {
    switch value {
    case .array(let elements): return elements[index]
    case .elements(let elements): return Value(elements[index])
    case .node(let node, let scope):
      try step(Self.readSteps(scope), at: place)
      return node.element(index, scope) ?? .null
    default: return .null
    }
  }

  /// How many elements or members a container has; nil for what is none.
  @inline(__always)
  func count(of value: Value, at place: Int) throws(QueryError) -> Int? {
    switch value {
    case .array(let elements): return elements.count
    case .elements(let elements): return elements.count
    case .object(let object): return object.count
    case .members(let object): return object.count
    case .node(let node, let scope):
      try step(Self.readSteps(scope), at: place)
      return node.count(scope)
    default: return nil
    }
  }

  /// Walks over the elements of an array; returns the type of what is none, or nil.
  func forEachElement(
    of value: Value,
    at place: Int,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    switch value {
    case .array(let elements):
      for element in elements {
        try step(at: place)
        guard try body(element) else { break }
      }
      return nil
    case .elements(let elements):
      for element in elements {
        try step(at: place)
        guard try body(Value(element)) else { break }
      }
      return nil
    case .node(let node, let scope) where node.form == .array:
      try step(2 * Self.readSteps(scope), at: place)
      try node.forEachMember(scope) { (_, element) throws(QueryError) -> Bool in
        try self.step(Self.nodeSteps, at: place)
        return try body(element)
      }
      return nil
    default: return value.kind
    }
  }

  /// Walks over the members of an object in the byte order of keys; returns the type of what is none, or nil.
  func forEachMember(
    of value: Value,
    at place: Int,
    _ body: MemberBody
  ) throws(QueryError) -> Value.Kind? {
    switch value {
    case .members(let object):
      for index in object.indices {
        try step(at: place)
        let member = object[index]
        guard try body(member.key, Value(member.value)) else { break }
      }
      return nil
    case .object(let object):
      for index in object.indices {
        try step(at: place)
        guard try body(object.keys[index], object.contents[index]) else { break }
      }
      return nil
    case .node(let node, let scope) where node.form == .object:
      try step(2 * Self.readSteps(scope), at: place)
      try node.forEachMember(scope) { (key, member) throws(QueryError) -> Bool in
        try self.step(Self.nodeSteps, at: place)
        return try body(key, member)
      }
      return nil
    default: return value.kind
    }
  }

  /// Walks over the keys of an object and reads no member; returns the type of what is none, or nil.
  func forEachKey(
    of value: Value,
    at place: Int,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) -> Value.Kind? {
    switch value {
    case .node(let node, let scope) where node.form == .object:
      try step(Self.readSteps(scope), at: place)
      try node.forEachKey(scope) { (key) throws(QueryError) -> Bool in
        try self.step(Self.nodeSteps, at: place)
        return try body(key)
      }
      return nil
    default:
      return try forEachMember(of: value, at: place) { (key, _) throws(QueryError) -> Bool in
        try body(key)
      }
    }
  }

  /// Whether `&&`, `||`, `!`, `?` and filters take a value for true; of a container only whether it is empty is read.
  @inline(__always)
  func isTrue(_ value: Value, at place: Int) throws(QueryError) -> Bool {
    switch value {
    case .null: return false
    case .bool(let value): return value
    case .int, .double: return true
    case .string(let text): return !text.isEmpty
    case .array, .elements, .object, .members, .node:
      return try count(of: value, at: place) ?? 0 > 0
    }
  }

  /// What reading one member of live data counts that a scan has led to: it is noted once for all records.
  static let nodeSteps = 2

  /// What reading a place of live data counts that a path or a key has led to: it is noted, and waited for, by itself.
  static let pointSteps = 40

  @inline(__always)
  static func readSteps(_ scope: ScanScope?) -> Int { scope == nil ? pointSteps : nodeSteps }

  /// What finding a key by halving counts; finding out that it is absent counts twice.
  ///
  /// Where the key was last is not counted: steps must not depend on what was evaluated before.
  @inline(__always)
  static func lookupSteps(_ count: Int) -> Int {
    1 + (Int.bitWidth - count.leadingZeroBitCount) / 2
  }
}
