internal import ObsWire

/// Makes the plan of a checked expression.
struct Compiler {
  let text: String
  let functions: [String: RegisteredFunction]
  /// The names of the text, one instance for each.
  private var names: [ByteKey: MemberName] = [:]
  /// The variables in sight, innermost last, and the slots of their values.
  private var bound: [(name: String, slot: Int)] = []
  private(set) var slotCount = 0

  init(text: String, freeVariables: [String], functions: [String: RegisteredFunction]) {
    self.text = text
    self.functions = functions
    for name in freeVariables { bound.append((name, newSlot())) }
  }

  private mutating func newSlot() -> Int {
    defer { slotCount += 1 }
    return slotCount
  }

  private mutating func name(_ text: String) -> MemberName {
    let key = ByteKey(text)
    if let name = names[key] { return name }
    let name = MemberName(text)
    names[key] = name
    return name
  }

  mutating func plan(_ syntax: Syntax) throws(QueryError) -> Plan {
    let place = syntax.place
    switch syntax.kind {
    case .current: return CurrentPlan(at: place)
    case .root: return RootPlan(at: place)
    case .field(let name): return FieldPlan(self.name(name), at: place)
    case .literal(let json): return LiteralPlan(json, at: place)
    case .variable(let name):
      let slot = bound.last { $0.name == name }?.slot
      guard let slot else { preconditionFailure("the checker knows all variables") }
      return VariablePlan(slot: slot, at: place)
    case .chain(let parts):
      return ChainPlan(try plans(parts), stopsAtNull: true, at: place)
    case .pipe(let parts):
      return ChainPlan(try plans(parts), stopsAtNull: false, at: place)
    case .or(let parts): return DecisionPlan(try plans(parts), decisive: true, at: place)
    case .and(let parts): return DecisionPlan(try plans(parts), decisive: false, at: place)
    case .index(let left, let index): return IndexPlan(try plan(left), index, at: place)
    case .slice(let left, let bounds, let each):
      return SlicePlan(try plan(left), bounds, each: try plan(each), at: place)
    case .elements(let left, let each):
      return ProjectionPlan(.elements, try plan(left), each: try plan(each), at: place)
    case .members(let left, let each):
      return ProjectionPlan(.members, try plan(left), each: try plan(each), at: place)
    case .flatten(let left, let each):
      return ProjectionPlan(.flatten, try plan(left), each: try plan(each), at: place)
    case .filter(let left, let condition, let each):
      return try filter(left, condition, each, at: place)
    case .not(let operand): return NotPlan(try plan(operand), at: place)
    case .negative(let operand):
      return SignPlan(isNegative: true, try plan(operand), at: place)
    case .positive(let operand):
      return SignPlan(isNegative: false, try plan(operand), at: place)
    case .comparison(let operation, let left, let right):
      return ComparisonPlan(operation, try plan(left), try plan(right), at: place)
    case .arithmetic(let operation, let left, let right):
      return ArithmeticPlan(operation, try plan(left), try plan(right), at: place)
    case .ternary(let condition, let then, let otherwise):
      return TernaryPlan(
        try plan(condition),
        then: try plan(then),
        otherwise: try plan(otherwise),
        at: place
      )
    case .list(let elements): return ListPlan(try plans(elements), at: place)
    case .hash(let members):
      var plans: [(key: String, value: Plan)] = []
      for member in members { plans.append((member.key, try plan(member.value))) }
      return HashPlan(plans, at: place)
    case .call(let name, let arguments): return try call(name, arguments, at: place)
    case .reference(let body): return try plan(body)
    case .bindings(let bindings, let body): return try self.bindings(bindings, body, at: place)
    }
  }

  private mutating func plans(_ parts: [Syntax]) throws(QueryError) -> [Plan] {
    var plans: [Plan] = []
    plans.reserveCapacity(parts.count)
    for part in parts { plans.append(try plan(part)) }
    return plans
  }

  private mutating func plan(_ syntax: Syntax?) throws(QueryError) -> Plan? {
    guard let syntax else { return nil }
    return try plan(syntax)
  }

  private mutating func bindings(
    _ bindings: [Syntax.Binding],
    _ body: Syntax,
    at place: Int
  ) throws(QueryError) -> Plan {
    // Values are planned before their names come into sight.
    var plans: [(slot: Int, value: Plan)] = []
    for binding in bindings { plans.append((newSlot(), try plan(binding.value))) }
    for (binding, plan) in zip(bindings, plans) { bound.append((binding.name, plan.slot)) }
    let body = try plan(body)
    bound.removeLast(bindings.count)
    return BindingsPlan(plans, in: body, at: place)
  }

  // MARK: Filters

  private mutating func filter(
    _ left: Syntax,
    _ condition: Syntax,
    _ each: Syntax?,
    at place: Int
  ) throws(QueryError) -> Plan {
    let source: FilterPlan.Source
    switch left.kind {
    case .call("values", let arguments):
      source = .members(try plan(arguments[0]), call: left.place)
    case .members(let object, each: nil): source = .members(try plan(object), call: nil)
    default:
      let plan = try plan(left)
      source = plan is WalkPlan ? .walk(plan) : .array(plan)
    }
    return FilterPlan(
      source,
      condition: try plan(condition),
      match: try match(condition),
      each: try plan(each),
      at: place
    )
  }

  /// The first part of a condition, when it compares a member with what does not depend on the element.
  private mutating func match(_ condition: Syntax) throws(QueryError) -> FilterPlan.Match? {
    var first = condition
    var rest: Plan?
    if case .and(let parts) = condition.kind {
      first = parts[0]
      guard case .comparison = first.kind else { return nil }
      let others = try plans(Array(parts.dropFirst()))
      rest =
        others.count == 1 ? others[0] : DecisionPlan(others, decisive: false, at: condition.place)
    }
    guard case .comparison(.equal, let left, let right) = first.kind else { return nil }
    switch (left.kind, right.kind) {
    case (.field(let name), _) where Self.isIndependent(right):
      return FilterPlan.Match(name: self.name(name), value: try plan(right), rest: rest)
    case (_, .field(let name)) where Self.isIndependent(left):
      return FilterPlan.Match(name: self.name(name), value: try plan(left), rest: rest)
    default: return nil
    }
  }

  /// Whether an expression has one value for all elements: a literal, a variable, or a path from `$` or a variable.
  private static func isIndependent(_ syntax: Syntax) -> Bool {
    switch syntax.kind {
    case .root, .literal, .variable: true
    case .index(let left, _): isIndependent(left)
    case .chain(let parts):
      isIndependent(parts[0])
        && parts.dropFirst().allSatisfy { part in
          if case .field = part.kind { true } else { false }
        }
    default: false
    }
  }

  // MARK: Calls

  private mutating func call(
    _ name: String,
    _ arguments: [Syntax],
    at place: Int
  ) throws(QueryError) -> Plan {
    let plans = try plans(arguments)
    guard let function = BuiltIn(rawValue: name) else {
      guard let registered = functions[name] else {
        throw QueryError(
          .unknownFunction,
          "there is no function `\(name)`",
          at: TextPlace(ofByte: place, in: text)
        )
      }
      return RegisteredPlan(registered, plans, at: place)
    }
    switch function {
    case .values: return MembersPlan(.values, of: plans[0], at: place)
    case .keys: return MembersPlan(.keys, of: plans[0], at: place)
    case .items: return MembersPlan(.items, of: plans[0], at: place)
    case .length: return LengthPlan(of: plans[0], at: place)
    case .notNull: return NotNullPlan(plans, at: place)
    case .map: return MapPlan(plans[0], over: plans[1], at: place)
    case .any: return QuantifierPlan(decisive: true, plans[0], plans[1], at: place)
    case .all: return QuantifierPlan(decisive: false, plans[0], plans[1], at: place)
    case .sort: return SortPlan(function, plans[0], by: nil, at: place)
    case .sortBy: return SortPlan(function, plans[0], by: plans[1], at: place)
    case .max, .min: return ExtremePlan(function, plans[0], by: nil, at: place)
    case .maxBy, .minBy: return ExtremePlan(function, plans[0], by: plans[1], at: place)
    case .groupBy: return GroupPlan(plans[0], by: plans[1], at: place)
    case .sum, .avg: return SumPlan(function, of: plans[0], at: place)
    default: return FunctionPlan(function, plans, at: place)
    }
  }
}
