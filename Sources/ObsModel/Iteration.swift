public import Observation

/// What a query that can end says each time: a value, or that it is over.
public enum Iteration<Value> {
  /// The query's value now.
  case next(Value)
  /// The query is over: every subscriber gets `complete`.
  case finish

  /// The same as ``finish``, as SE-0475 spells it.
  public static var finished: Self { .finish }
}

extension Iteration: Sendable where Value: Sendable {}

extension Observations.Iteration {
  /// The same as `.finish`, as the text of SE-0475 spells it.
  public static var finished: Self { .finish }
}
