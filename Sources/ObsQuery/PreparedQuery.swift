public import ObsWire

/// An expression with its variables and functions, ready to be evaluated again and again.
///
/// Not `Sendable`: it remembers what it learned about the data, and lives where the data lives.
///
///     let query = try PreparedQuery(expression, variables: ["s": "open"])
///     try query.evaluate(Value(json)).json
public final class PreparedQuery {
  /// How many steps the last evaluation took; also when it failed.
  public private(set) var lastSteps = 0

  /// How many elements the last evaluation made; also when it failed.
  public private(set) var lastElements = 0

  private let text: String
  private let plan: Plan
  /// The values of the free variables, and room for those that `let` binds.
  private let slots: [Value]

  /// Binds an expression's variables and functions.
  ///
  /// - Parameters:
  ///   - expression: what is to be evaluated.
  ///   - variables: the values of its free variables; others are ignored.
  ///   - functions: the registered functions that it calls; others are ignored.
  /// - Throws: `undefined-variable` or `unknown-function`.
  public init(
    _ expression: Expression,
    variables: JSON.Object = [:],
    functions: [String: RegisteredFunction] = [:]
  ) throws(QueryError) {
    text = expression.text
    var slots: [Value] = []
    for variable in expression.freeVariables {
      guard let value = variables[variable.name] else {
        throw QueryError(
          .undefinedVariable,
          "nothing binds `$\(variable.name)`",
          at: TextPlace(ofByte: variable.place, in: expression.text),
          hint: "send it with the request's variables, or bind it with `let`"
        )
      }
      slots.append(Value(value))
    }
    var compiler = Compiler(
      text: expression.text,
      freeVariables: expression.variableNames,
      functions: functions
    )
    plan = try compiler.plan(expression.syntax)
    slots += Array(repeating: .null, count: compiler.slotCount - slots.count)
    self.slots = slots
  }

  /// The value of the expression for a root; containers in it may still be references.
  ///
  /// - Throws: an error that may heal with the data (``QueryError/Code/mayHeal``).
  public func evaluate(
    _ root: Value,
    limits: EvaluationLimits = .unlimited
  ) throws(QueryError) -> Value {
    let run = Run(text: text, root: root, slots: slots, limits: limits)
    defer {
      lastSteps = limits.steps - max(run.stepsLeft, 0)
      lastElements = limits.elements - max(run.elementsLeft, 0)
    }
    return try plan.evaluate(root, run)
  }
}
