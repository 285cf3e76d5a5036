internal import ObsWire

/// `left[?condition].each`.
///
/// Where the condition begins with `name == value`, and the value does not depend on the element, live data is asked
/// first for the members that match: it may know them, and the query then depends on those alone.
final class FilterPlan: WalkPlan {
  /// What is walked over.
  enum Source {
    /// An array, element by element.
    case walk(Plan)
    /// An array that is found and not made.
    case array(Plan)
    /// The members of an object: `x.*`, or `values(x)`, which is no array but an error when `x` is no object.
    case members(Plan, call: Int?)
  }

  /// `name == value`, and the rest of the condition.
  struct Match {
    let name: MemberName
    let value: Plan
    let rest: Plan?
  }

  let source: Source
  let condition: Plan
  let match: Match?
  let each: Plan?

  init(_ source: Source, condition: Plan, match: Match?, each: Plan?, at place: Int) {
    self.source = source
    self.condition = condition
    self.match = match
    self.each = each
    super.init(at: place)
  }

  override func forEach(
    _ current: Value,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    let container: Value
    switch source {
    case .walk(let plan):
      return try plan.forEach(current, run) { (element) throws(QueryError) -> Bool in
        try take(element, if: condition, run, body)
      }
    case .array(let plan), .members(let plan, _): container = try plan.evaluate(current, run)
    }
    if let match, let partition = try partition(of: container, by: match, current, run) {
      return try walk(partition, if: match.rest, run, body)
    }
    return try walk(container, if: condition, run, body)
  }

  override func length(_ current: Value, _ run: Run) throws(QueryError) -> Length {
    guard let match, match.rest == nil, each == nil else { return try super.length(current, run) }
    let container: Value
    switch source {
    case .walk: return try super.length(current, run)
    case .array(let plan), .members(let plan, _): container = try plan.evaluate(current, run)
    }
    // Counting a partition needs no walk.
    if let partition = try partition(of: container, by: match, current, run) {
      return .count(try run.count(of: partition, at: place) ?? 0)
    }
    return try length { (body: ElementBody) throws(QueryError) -> Value.Kind? in
      try walk(container, if: condition, run, body)
    }
  }

  private func walk(
    _ container: Value,
    if condition: Plan?,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    guard case .members(_, let call) = source else {
      return try run.forEachElement(of: container, at: place) {
        (element) throws(QueryError) -> Bool in
        try take(element, if: condition, run, body)
      }
    }
    let kind = try run.forEachMember(of: container, at: place) {
      (_, element) throws(QueryError) -> Bool in
      // A projection leaves out null; `values` does not.
      if call == nil, element.isNull { return true }
      return try take(element, if: condition, run, body)
    }
    guard let kind, let call else { return kind }
    throw run.typeError("`values`", expects: "an object", found: kind, at: call)
  }

  @inline(__always)
  private func take(
    _ element: Value,
    if condition: Plan?,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Bool {
    if let condition, !(try run.isTrue(condition.evaluate(element, run), at: place)) { return true }
    guard let each else { return element.isNull ? true : try body(element) }
    let value = try each.evaluate(element, run)
    return value.isNull ? true : try body(value)
  }

  /// The members of live data that match, if it knows them.
  private func partition(
    of container: Value,
    by match: Match,
    _ current: Value,
    _ run: Run
  ) throws(QueryError) -> Value? {
    guard case .node(let node, let scope) = container,
      node.form == (isOverMembers ? .object : .array)
    else { return nil }
    let scalar: JSON
    switch try match.value.evaluate(current, run) {
    case .bool(let value): scalar = .bool(value)
    case .int(let value): scalar = .int(value)
    case .double(let value): scalar = .double(value)
    case .string(let value): scalar = .string(value)
    default: return nil
    }
    guard let partition = node.matching(match.name, scalar, scope) else { return nil }
    try run.countIndex(on: match.name.text, of: node, at: place)
    return .node(partition, nil)
  }

  private var isOverMembers: Bool {
    if case .members = source { true } else { false }
  }
}
