/// `left[*].each`, `left[].each`, and `left.*.each`.
final class ProjectionPlan: WalkPlan {
  enum Form {
    case elements, members, flatten
  }

  let form: Form
  let left: Plan
  let each: Plan?

  init(_ form: Form, _ left: Plan, each: Plan?, at place: Int) {
    self.form = form
    self.left = left
    self.each = each
    super.init(at: place)
  }

  override func forEach(
    _ current: Value,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    func project(_ element: Value) throws(QueryError) -> Bool {
      let value = try each?.evaluate(element, run) ?? element
      return value.isNull ? true : try body(value)
    }
    switch form {
    case .elements: return try left.forEach(current, run, project)
    case .members:
      let value = try left.evaluate(current, run)
      return try run.forEachMember(of: value, at: place) { (_, member) throws(QueryError) -> Bool in
        try project(member)
      }
    case .flatten:
      return try left.forEach(current, run) { (element) throws(QueryError) -> Bool in
        var goesOn = true
        let kind = try run.forEachElement(of: element, at: place) {
          (inner) throws(QueryError) -> Bool in
          goesOn = try project(inner)
          return goesOn
        }
        return kind == nil ? goesOn : try project(element)
      }
    }
  }
}

/// `left[start:stop:step].each`.
final class SlicePlan: Plan {
  let left: Plan
  let bounds: Syntax.SliceBounds
  let each: Plan?

  init(_ left: Plan, _ bounds: Syntax.SliceBounds, each: Plan?, at place: Int) {
    self.left = left
    self.bounds = bounds
    self.each = each
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    let value = try left.evaluate(current, run)
    try run.step(at: place)
    if case .string(let text) = value { return try slice(text, run) }
    guard value.kind == .array, let count = try run.count(of: value, at: place) else {
      return .null
    }
    var elements: [Value] = []
    for index in bounds.indices(of: count) {
      let element = try run.element(index, of: value, at: place)
      let projected = try each?.evaluate(element, run) ?? element
      guard !projected.isNull else { continue }
      try run.make(1, at: place)
      elements.append(projected)
    }
    return .array(elements)
  }

  /// A slice of text is no projection: what follows is evaluated for the text.
  private func slice(_ text: String, _ run: Run) throws(QueryError) -> Value {
    try run.step(1 + 2 * text.utf8.count, at: place)
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    for index in bounds.indices(of: scalars.count) { result.append(scalars[index]) }
    let sliced = String(result)
    try run.makeText(sliced.utf8.count, at: place)
    return try each?.evaluate(.string(sliced), run) ?? .string(sliced)
  }
}

extension Syntax.SliceBounds {
  /// The places that the slice takes of a list of `count` elements.
  func indices(of count: Int) -> StrideTo<Int> {
    let step = step ?? 1
    func place(_ bound: Int?, _ absent: Int) -> Int {
      guard let bound else { return absent }
      let index = bound < 0 ? bound + count : bound
      return step > 0 ? min(max(index, 0), count) : min(max(index, -1), count - 1)
    }
    let start = place(start, step > 0 ? 0 : count - 1)
    let stop = place(stop, step > 0 ? count : -1)
    // Longer steps than the list has elements take the first one only; so no addition can overflow.
    return stride(from: start, to: stop, by: min(max(step, -count - 1), count + 1))
  }
}
