internal import ObsWire

// Equality by JSON value, and order. Deep equality walks both sides together and stops at the first difference.

extension Run {
  /// How deep equality goes; live objects may lead back to themselves, and comparing recurses.
  static let deepestComparison = 512

  func isEqual(_ left: Value, _ right: Value, at place: Int) throws(QueryError) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.string(let left), .string(let right)):
      try step(Self.textSteps(left, right), at: place)
      return UTF8Order.equal(left, right)
    case (.int, .int), (.int, .double), (.double, .int), (.double, .double):
      return NumberOrder.compare(left, right) == 0
    case (.node(let left, _), .node(let right, _)) where left.identity == right.identity:
      return true
    default: break
    }
    try step(at: place)
    let kind = left.kind
    guard kind == right.kind, kind == .array || kind == .object,
      let count = try count(of: left, at: place), count == (try self.count(of: right, at: place))
    else { return false }
    try step(2, at: place)
    comparisonDepth += 1
    defer { comparisonDepth -= 1 }
    guard comparisonDepth <= Self.deepestComparison else {
      throw exceeded(.comparison, at: place)
    }
    return kind == .array
      ? try areEqualArrays(left, right, at: place)
      : try areEqualObjects(left, right, at: place)
  }

  private func areEqualArrays(_ left: Value, _ right: Value, at place: Int) throws(QueryError)
    -> Bool
  {
    var index = 0
    var equal = true
    _ = try forEachElement(of: left, at: place) { (element) throws(QueryError) -> Bool in
      let other = try self.element(index, of: right, at: place)
      equal = try isEqual(element, other, at: place)
      index += 1
      return equal
    }
    return equal
  }

  private func areEqualObjects(_ left: Value, _ right: Value, at place: Int) throws(QueryError)
    -> Bool
  {
    var equal = true
    _ = try forEachMember(of: left, at: place) { (key, member) throws(QueryError) -> Bool in
      guard let other = try self.member(key: key, of: right, at: place) else {
        equal = false
        return false
      }
      equal = try isEqual(member, other, at: place)
      return equal
    }
    return equal
  }

  /// Negative, 0 or positive for two numbers or two texts; nil for what has no order.
  func order(_ left: Value, _ right: Value, at place: Int) throws(QueryError) -> Int? {
    if case .string(let left) = left, case .string(let right) = right {
      try step(Self.textSteps(left, right), at: place)
      return UTF8Order.compare(left, right)
    }
    return NumberOrder.compare(left, right)
  }

  /// What comparing two texts counts.
  @inline(__always)
  static func textSteps(_ left: String, _ right: String) -> Int {
    min(left.utf8.count, right.utf8.count) / 16
  }
}
