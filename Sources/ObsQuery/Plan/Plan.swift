internal import ObsWire

/// A node of a query as it is evaluated: names interned, variables numbered, walks fused.
///
/// Evaluation pulls nothing: a plan that makes an array can hand over its elements one by one (``forEach(_:_:_:)``), so
/// that `length(values(x)[?a].b)` never makes one.
class Plan {
  /// The byte of the text that errors point at.
  final let place: Int

  init(at place: Int) { self.place = place }

  /// The value for the current one.
  func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    preconditionFailure("every plan has a way to be evaluated")
  }

  /// Hands over the elements of the array that ``evaluate(_:_:)`` would make, until `body` says false.
  ///
  /// Returns nil, or the type of the value when it is no array.
  func forEach(
    _ current: Value,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    try run.forEachElement(of: evaluate(current, run), at: place, body)
  }

  /// The length of the value that ``evaluate(_:_:)`` would make: elements, members, or code points.
  func length(_ current: Value, _ run: Run) throws(QueryError) -> Length {
    let value = try evaluate(current, run)
    if let count = try run.count(of: value, at: place) { return .count(count) }
    guard case .string(let text) = value else { return .none(value.kind) }
    try run.step(1 + text.utf8.count / 16, at: place)
    return .count(text.codePointCount)
  }

  enum Length {
    case count(Int)
    /// What has no length.
    case none(Value.Kind)
  }
}

/// A plan whose value is an array that is made element by element.
class WalkPlan: Plan {
  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    var elements: [Value] = []
    let kind = try forEach(current, run) { (element) throws(QueryError) -> Bool in
      try run.make(1, at: place)
      elements.append(element)
      return true
    }
    return kind == nil ? .array(elements) : .null
  }

  override func length(_ current: Value, _ run: Run) throws(QueryError) -> Length {
    try length { (body: ElementBody) throws(QueryError) -> Value.Kind? in
      try forEach(current, run, body)
    }
  }

  /// Counts what a walk hands on.
  final func length(
    _ walk: (ElementBody) throws(QueryError) -> Value.Kind?
  ) throws(QueryError) -> Length {
    var count = 0
    let kind = try walk { (_) throws(QueryError) -> Bool in
      count += 1
      return true
    }
    // A walk over what is no array has the value null.
    return kind == nil ? .count(count) : .none(.null)
  }
}

final class CurrentPlan: Plan {
  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value { current }
}

final class RootPlan: Plan {
  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value { run.root }
}

final class LiteralPlan: Plan {
  let value: Value

  init(_ json: JSON, at place: Int) {
    value = Value(json)
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value { value }
}

final class VariablePlan: Plan {
  let slot: Int

  init(slot: Int, at place: Int) {
    self.slot = slot
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    run.slots[slot]
  }
}

final class FieldPlan: Plan {
  let name: MemberName

  init(_ name: MemberName, at place: Int) {
    self.name = name
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.member(name, of: current, at: place)
  }
}

final class IndexPlan: Plan {
  let left: Plan
  let index: Int

  init(_ left: Plan, _ index: Int, at place: Int) {
    self.left = left
    self.index = index
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    let value = try left.evaluate(current, run)
    try run.step(at: place)
    switch value {
    case .array(let elements):
      let index = index < 0 ? index + elements.count : index
      return elements.indices.contains(index) ? elements[index] : .null
    case .elements(let elements):
      let index = index < 0 ? index + elements.count : index
      return elements.indices.contains(index) ? Value(elements[index]) : .null
    case .node(let node, let scope) where node.form == .array:
      let count = index < 0 ? try run.count(of: value, at: place) ?? 0 : 0
      guard index + count >= 0 else { return .null }
      try run.step(Run.readSteps(scope), at: place)
      return node.element(index + count, scope) ?? .null
    default: return .null
    }
  }
}

/// `a.b.c`, or `a | b | c`.
final class ChainPlan: Plan {
  let parts: [Plan]
  /// Whether null ends it.
  let stopsAtNull: Bool

  init(_ parts: [Plan], stopsAtNull: Bool, at place: Int) {
    self.parts = parts
    self.stopsAtNull = stopsAtNull
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    guard let value = try beforeLast(current, run) else { return .null }
    return try parts[parts.count - 1].evaluate(value, run)
  }

  override func forEach(
    _ current: Value,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    guard let value = try beforeLast(current, run) else { return .null }
    return try parts[parts.count - 1].forEach(value, run, body)
  }

  override func length(_ current: Value, _ run: Run) throws(QueryError) -> Length {
    guard let value = try beforeLast(current, run) else { return .none(.null) }
    return try parts[parts.count - 1].length(value, run)
  }

  /// The value that the last part is evaluated for; nil when null came before.
  private func beforeLast(_ current: Value, _ run: Run) throws(QueryError) -> Value? {
    var value = current
    for index in 0..<(parts.count - 1) {
      value = try parts[index].evaluate(value, run)
      if stopsAtNull, value.isNull { return nil }
    }
    return value
  }
}

/// `let $a = …, $b = … in body`.
final class BindingsPlan: Plan {
  let bindings: [(slot: Int, value: Plan)]
  let body: Plan

  init(_ bindings: [(slot: Int, value: Plan)], in body: Plan, at place: Int) {
    self.bindings = bindings
    self.body = body
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try bind(current, run)
    return try body.evaluate(current, run)
  }

  override func forEach(
    _ current: Value,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    try bind(current, run)
    return try self.body.forEach(current, run, body)
  }

  override func length(_ current: Value, _ run: Run) throws(QueryError) -> Length {
    try bind(current, run)
    return try body.length(current, run)
  }

  /// Every binding has a slot of its own, so the values of one `let` cannot see each other.
  private func bind(_ current: Value, _ run: Run) throws(QueryError) {
    for binding in bindings {
      try run.step(at: place)
      run.slots[binding.slot] = try binding.value.evaluate(current, run)
    }
  }
}
