import Observation

/// One running evaluation of a query: evaluates at once, and again in each turn that changed
/// something it read.
///
/// The seam behind which the scheduler can change. ``ObservationsEvaluation`` is the one in use.
@ObsActor
public protocol Evaluation: AnyObject {
  /// Evaluates again in this turn, whatever changed.
  func wake()
  /// Ends the evaluation and frees all that it read; nothing is delivered afterwards.
  func end()
}

/// Evaluates by one iterator of one `Observations` (SE-0475), opened and closed by a lifeline.
///
/// One iterator, never shared: a second one would lose last values. Ended by flipping the lifeline,
/// never by cancelling: a cancelled iteration leaves its registrations behind.
@ObsActor
public final class ObservationsEvaluation<Output: Sendable>: Evaluation {
  private let life = Lifeline()

  /// Starts at once: the first evaluation runs in this turn.
  ///
  /// - Parameters:
  ///   - evaluate: Reads models and says the value. It must not change them.
  ///   - deliver: Gets each output, in the turn of its evaluation. Returns false to end.
  public init(
    _ evaluate: @escaping @ObsActor @Sendable () -> Output,
    deliver: @escaping @ObsActor @Sendable (Output) -> Bool
  ) {
    let life = life
    // The closure names no actor itself: it inherits ObsActor from this initializer. (A closure
    // that states one crashes the 6.3 compiler.)
    let outputs = Observations<Output, Never>.untilFinished {
      guard life.open else { return .finish }
      _ = life.wakes
      return .next(evaluate())
    }
    Task(executorPreference: ObsActor.executor, priority: TurnExecutor.evaluationPriority) {
      await ObservationsEvaluation.follow(outputs, life, deliver)
    }
  }

  private static func follow(
    _ outputs: Observations<Output, Never>,
    _ life: Lifeline,
    _ deliver: @escaping @ObsActor @Sendable (Output) -> Bool
  ) async {
    for await output in outputs {
      // The lifeline may have been cut between the evaluation and this job.
      guard life.open else {
        // A line cut by the evaluation itself woke nobody: it was not yet registered.
        life.wakes &+= 1
        continue
      }
      if !deliver(output) { life.open = false }
    }
    // Ended by a body that finished: cut the line, so that nothing it read keeps a registration.
    life.open = false
  }

  /// Evaluates again in this turn, whatever changed.
  public func wake() { life.wakes &+= 1 }

  /// Frees everything the query read; the task ends in the next turn.
  public func end() { life.open = false }
}

/// Read first by each evaluation, so that one write to it ends the query or wakes it.
@ObsActor @Observable
final class Lifeline {
  var open = true
  var wakes = 0
}
