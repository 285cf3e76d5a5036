internal import ObsWire

// Functions that walk over an array and evaluate an expression for each element.

/// `map(&expression, array)`.
final class MapPlan: WalkPlan {
  let array: Plan
  let expression: Plan

  init(_ expression: Plan, over array: Plan, at place: Int) {
    self.array = array
    self.expression = expression
    super.init(at: place)
  }

  override func forEach(
    _ current: Value,
    _ run: Run,
    _ body: ElementBody
  ) throws(QueryError) -> Value.Kind? {
    let kind = try array.forEach(current, run) { (element) throws(QueryError) -> Bool in
      try body(try expression.evaluate(element, run))
    }
    if let kind { throw run.typeError("`map`", expects: "an array", found: kind, at: place) }
    return nil
  }
}

/// `any(array, &expression)` and `all(array, &expression)`: stop at the first answer.
final class QuantifierPlan: Plan {
  let array: Plan
  let expression: Plan
  /// What ends the walk: true for `any`.
  let decisive: Bool

  init(decisive: Bool, _ array: Plan, _ expression: Plan, at place: Int) {
    self.array = array
    self.expression = expression
    self.decisive = decisive
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    var result = !decisive
    let kind = try array.forEach(current, run) { (element) throws(QueryError) -> Bool in
      guard try run.isTrue(expression.evaluate(element, run), at: place) == decisive else {
        return true
      }
      result = decisive
      return false
    }
    if let kind {
      throw run.typeError(
        decisive ? "`any`" : "`all`",
        expects: "an array",
        found: kind,
        at: place
      )
    }
    return .bool(result)
  }
}

/// `sort(array)` and `sort_by(array, &expression)`: reads the keys only.
final class SortPlan: Plan {
  let function: BuiltIn
  let array: Plan
  let expression: Plan?

  init(_ function: BuiltIn, _ array: Plan, by expression: Plan?, at place: Int) {
    self.function = function
    self.array = array
    self.expression = expression
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    var elements: [Value] = []
    var keys = SortKeys(of: function, at: place)
    let kind = try array.forEach(current, run) { (element) throws(QueryError) -> Bool in
      try run.make(1, at: place)
      try keys.append(try expression?.evaluate(element, run) ?? element, run)
      elements.append(element)
      return true
    }
    if let kind {
      throw run.typeError("`\(function.rawValue)`", expects: "an array", found: kind, at: place)
    }
    return .array(try keys.order(run).map { elements[$0] })
  }
}

/// `max(array)`, `min(array)`, `max_by(array, &expression)`, `min_by(array, &expression)`: the first of equal ones.
final class ExtremePlan: Plan {
  let function: BuiltIn
  let array: Plan
  let expression: Plan?

  init(_ function: BuiltIn, _ array: Plan, by expression: Plan?, at place: Int) {
    self.function = function
    self.array = array
    self.expression = expression
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    let sign = function == .max || function == .maxBy ? 1 : -1
    var best: (key: Value, element: Value)?
    let kind = try array.forEach(current, run) { (element) throws(QueryError) -> Bool in
      let key = try expression?.evaluate(element, run) ?? element
      guard let leader = best else {
        guard key.kind == .number || key.kind == .string else { throw keyError(key.kind, run) }
        best = (key, element)
        return true
      }
      try run.step(at: place)
      guard let order = try run.order(key, leader.key, at: place) else {
        throw keyError(key.kind, run)
      }
      if order * sign > 0 { best = (key, element) }
      return true
    }
    if let kind {
      throw run.typeError("`\(function.rawValue)`", expects: "an array", found: kind, at: place)
    }
    return best?.element ?? .null
  }

  private func keyError(_ kind: Value.Kind, _ run: Run) -> QueryError {
    run.typeError(
      "`\(function.rawValue)`",
      expects: "numbers or texts, not both",
      found: kind,
      at: place
    )
  }
}

/// `group_by(array, &expression)`: an object of arrays; elements whose key is null are left out.
final class GroupPlan: Plan {
  let array: Plan
  let expression: Plan

  init(_ array: Plan, by expression: Plan, at place: Int) {
    self.array = array
    self.expression = expression
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    var groups: [ByteKey: Int] = [:]
    var keys: [String] = []
    var contents: [[Value]] = []
    let kind = try array.forEach(current, run) { (element) throws(QueryError) -> Bool in
      switch try expression.evaluate(element, run) {
      case .null: break
      case .string(let key):
        try run.make(1, at: place)
        try run.step(4 + key.utf8.count / 16, at: place)
        let bytes = ByteKey(key)
        if let group = groups[bytes] {
          contents[group].append(element)
        } else {
          try run.make(1, at: place)
          try run.step(4, at: place)
          groups[bytes] = keys.count
          keys.append(key)
          contents.append([element])
        }
      case let other:
        throw run.typeError(
          "`group_by`",
          expects: "texts as keys",
          found: other.kind,
          at: place
        )
      }
      return true
    }
    if let kind {
      throw run.typeError("`group_by`", expects: "an array", found: kind, at: place)
    }
    let members = zip(keys, contents).map { (key: $0, value: Value.array($1)) }
    try run.step(SortKeys.steps(keys.map(\.utf8.count)), at: place)
    return .object(QueryObject(members))
  }
}

/// `sum(array)` and `avg(array)`: added exactly and rounded once.
final class SumPlan: Plan {
  let function: BuiltIn
  let array: Plan

  init(_ function: BuiltIn, of array: Plan, at place: Int) {
    self.function = function
    self.array = array
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    var sum = ExactSum()
    let name = "`\(function.rawValue)`"
    try run.step(at: place)
    let kind = try array.forEach(current, run) { (element) throws(QueryError) -> Bool in
      switch element {
      case .int(let number): sum.add(number)
      case .double(let number): sum.add(number)
      default: throw run.typeError(name, expects: "numbers", found: element.kind, at: place)
      }
      return true
    }
    if let kind {
      throw run.typeError(name, expects: "an array of numbers", found: kind, at: place)
    }
    if function == .avg, sum.count == 0 { return .null }
    try run.step(sum.steps, at: place)
    guard let result = function == .avg ? sum.average : sum.total else {
      throw run.failure(.notANumber, "\(name) is out of range", at: place)
    }
    return result
  }
}
