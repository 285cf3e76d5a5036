import ObsModel
import ObsWire

/// What one evaluation of a query came to.
enum Outcome: Sendable {
  /// JSON text that stands behind `"data":`.
  case value([UInt8])
  /// An error that other data may heal: sent like a value, the query lives on.
  case failure(WireError)
  /// The query is over.
  case finished
  /// The query is over, by an error.
  case ended(WireError)
  /// Not evaluated: the breaker holds the query back.
  case satOut
}

/// Reads models and says what they come to: the body of one live query.
@ObsActor
protocol Evaluator: AnyObject {
  /// Runs inside an `Observations` closure, as often as what it read has changed.
  func evaluate() -> Outcome
  /// Frees what it has read, when the query is over.
  func end()
  /// What the last evaluation read and did, for `explain`; nil if there is nothing to tell.
  var explanation: JSON.Object? { get }
}

/// A query registered in Swift: what it reads is known to Observation alone.
@ObsActor
final class FunctionEvaluator: Evaluator {
  private let body: () -> Outcome

  init(_ body: @escaping @ObsActor @Sendable () -> Outcome) { self.body = body }

  func evaluate() -> Outcome { body() }
  func end() {}
  var explanation: JSON.Object? { ["kind": "function"] }
}
