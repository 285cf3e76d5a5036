public import ObsWire

/// An expression with its variables and functions, ready to be evaluated again and again.
///
/// Not `Sendable`: it remembers what it learned about the data, and lives where the data lives.
public final class PreparedQuery {
  /// How many steps the last evaluation took; also when it failed.
  public private(set) var lastSteps = 0

  /// How many elements the last evaluation made; also when it failed.
  public private(set) var lastElements = 0

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
    throw QueryError(.syntax, "not yet")
  }

  /// The value of the expression for a root; containers in it may still be references.
  ///
  /// - Throws: an error that may heal with the data (``QueryError/Code/mayHeal``).
  public func evaluate(
    _ root: Value,
    limits: EvaluationLimits = .unlimited
  ) throws(QueryError) -> Value {
    .null
  }
}
