/// `values(x)`, `keys(x)`, `items(x)`: walks over an object that make an array only when it is wanted.
final class MembersPlan: WalkPlan {
  enum Form {
    case values, keys, items
  }

  let form: Form
  let argument: Plan

  init(_ form: Form, of argument: Plan, at place: Int) {
    self.form = form
    self.argument = argument
    super.init(at: place)
  }

  override func forEach(
    _ current: Value,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    let object = try argument.evaluate(current, run)
    let kind: Value.Kind?
    switch form {
    case .values:
      kind = try run.forEachMember(of: object, at: place) {
        (_, member) throws(QueryError) -> Bool in
        try body(member)
      }
    case .keys:
      kind = try run.forEachKey(of: object, at: place) { (key) throws(QueryError) -> Bool in
        try body(.string(key))
      }
    case .items:
      kind = try run.forEachMember(of: object, at: place) {
        (key, member) throws(QueryError) -> Bool in
        try run.step(4, at: place)
        return try body(.array([.string(key), member]))
      }
    }
    if let kind { throw typeError(kind, run) }
    return nil
  }

  override func length(_ current: Value, _ run: Run) throws(QueryError) -> Length {
    let object = try argument.evaluate(current, run)
    guard object.kind == .object, let count = try run.count(of: object, at: place) else {
      throw typeError(object.kind, run)
    }
    return .count(count)
  }

  private func typeError(_ kind: Value.Kind, _ run: Run) -> QueryError {
    run.typeError("`\(form)`", expects: "an object", found: kind, at: place)
  }
}

/// `length(x)`.
final class LengthPlan: Plan {
  let argument: Plan

  init(of argument: Plan, at place: Int) {
    self.argument = argument
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.step(at: place)
    switch try argument.length(current, run) {
    case .count(let count): return .int(Int64(count))
    case .none(let kind):
      throw run.typeError(
        "`length`",
        expects: "a text, an array or an object",
        found: kind,
        at: place
      )
    }
  }
}

/// `not_null(a, b, …)`: evaluates until one is not null.
final class NotNullPlan: Plan {
  let arguments: [Plan]

  init(_ arguments: [Plan], at place: Int) {
    self.arguments = arguments
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.step(at: place)
    for argument in arguments {
      let value = try argument.evaluate(current, run)
      if !value.isNull { return value }
    }
    return .null
  }
}
