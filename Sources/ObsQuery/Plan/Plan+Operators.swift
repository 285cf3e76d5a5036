/// `a || b || c`, and `a && b && c`: the first value that decides, or the last one.
final class DecisionPlan: Plan {
  let parts: [Plan]
  /// What decides: true for `||`.
  let decisive: Bool

  init(_ parts: [Plan], decisive: Bool, at place: Int) {
    self.parts = parts
    self.decisive = decisive
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.step(at: place)
    for part in parts.dropLast() {
      let value = try part.evaluate(current, run)
      if try run.isTrue(value, at: place) == decisive { return value }
    }
    return try parts[parts.count - 1].evaluate(current, run)
  }
}

final class NotPlan: Plan {
  let operand: Plan

  init(_ operand: Plan, at place: Int) {
    self.operand = operand
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.step(at: place)
    return .bool(!(try run.isTrue(operand.evaluate(current, run), at: place)))
  }
}

/// `condition ? then : otherwise`.
final class TernaryPlan: Plan {
  let condition: Plan
  let then: Plan
  let otherwise: Plan

  init(_ condition: Plan, then: Plan, otherwise: Plan, at place: Int) {
    self.condition = condition
    self.then = then
    self.otherwise = otherwise
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.step(at: place)
    let isTrue = try run.isTrue(condition.evaluate(current, run), at: place)
    return try (isTrue ? then : otherwise).evaluate(current, run)
  }
}

final class ComparisonPlan: Plan {
  let operation: Syntax.Comparison
  let left: Plan
  let right: Plan

  init(_ operation: Syntax.Comparison, _ left: Plan, _ right: Plan, at place: Int) {
    self.operation = operation
    self.left = left
    self.right = right
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    let left = try left.evaluate(current, run)
    let right = try right.evaluate(current, run)
    try run.step(at: place)
    switch operation {
    case .equal: return .bool(try run.isEqual(left, right, at: place))
    case .notEqual: return .bool(!(try run.isEqual(left, right, at: place)))
    default: break
    }
    guard let order = try run.order(left, right, at: place) else { return .null }
    switch operation {
    case .less: return .bool(order < 0)
    case .lessOrEqual: return .bool(order <= 0)
    case .greater: return .bool(order > 0)
    default: return .bool(order >= 0)
    }
  }
}

final class ArithmeticPlan: Plan {
  let operation: Syntax.Arithmetic
  let left: Plan
  let right: Plan

  init(_ operation: Syntax.Arithmetic, _ left: Plan, _ right: Plan, at place: Int) {
    self.operation = operation
    self.left = left
    self.right = right
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    let left = try left.evaluate(current, run)
    let right = try right.evaluate(current, run)
    try run.step(at: place)
    let result: Value?
    // Remainders are found bit by bit.
    if operation == .modulo || operation == .floorDivide {
      try run.step(Arithmetic.remainderSteps(left, right), at: place)
    }
    switch (left, right) {
    case (.int(let left), .int(let right)):
      result = Arithmetic.result(operation, left, right)
    case (.double(let left), .double(let right)):
      result = Arithmetic.result(operation, left, right)
    case (.int(let left), .double(let right)):
      result = Arithmetic.result(operation, Double(left), right)
    case (.double(let left), .int(let right)):
      result = Arithmetic.result(operation, left, Double(right))
    default:
      let culprit = left.kind == .number ? right : left
      throw run.typeError(
        "`\(operation.rawValue)`",
        expects: "numbers",
        found: culprit.kind,
        at: place
      )
    }
    guard let result else {
      throw run.failure(
        .notANumber,
        "`\(operation.rawValue)` has no number as its result",
        at: place,
        hint: "it divides by zero, or the result is out of range"
      )
    }
    return result
  }
}

/// `-a`, `+a`.
final class SignPlan: Plan {
  let isNegative: Bool
  let operand: Plan

  init(isNegative: Bool, _ operand: Plan, at place: Int) {
    self.isNegative = isNegative
    self.operand = operand
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    let value = try operand.evaluate(current, run)
    try run.step(at: place)
    switch value {
    case .int(let number):
      guard isNegative else { return value }
      guard number != .min else {
        throw run.failure(.notANumber, "`-` has no number as its result", at: place)
      }
      return .int(-number)
    case .double(let number): return isNegative ? .double(-number) : value
    default:
      throw run.typeError(
        isNegative ? "`-`" : "`+`",
        expects: "a number",
        found: value.kind,
        at: place
      )
    }
  }
}
