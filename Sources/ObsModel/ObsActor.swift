/// The home of all models: a global actor with a thread of its own, on which time passes in turns.
///
/// Mark models `@ObsActor @Observable`. Commands, user tasks and the evaluations of live queries all
/// run here, one at a time, so a model is never seen half changed. See ``TurnExecutor`` for what a
/// turn is. The thread is shared by every server in the process.
@globalActor
public actor ObsActor {
  /// The actor itself; use the attribute `@ObsActor` rather than this value.
  public static let shared = ObsActor()

  /// The executor whose thread all `@ObsActor` code runs on.
  public static let executor = TurnExecutor()

  /// Binds the actor to ``executor``.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe ObsActor.executor.asUnownedSerialExecutor()
  }

  /// Runs a closure that must already be on the actor's thread, without a suspension.
  ///
  /// Traps when called from anywhere else: models never leave their actor.
  public static func assumeIsolated<Result: Sendable>(
    _ operation: @ObsActor () throws -> Result
  ) rethrows -> Result {
    executor.checkIsolated()
    return try withoutActuallyEscaping(operation) { isolated in
      // The types differ in the actor only, and the line above has checked the thread.
      let plain = unsafe unsafeBitCast(isolated, to: (() throws -> Result).self)
      return try plain()
    }
  }

  /// Traps with a clear message unless the caller runs on the actor's thread.
  ///
  /// For the write path of models that are not isolated by their type: changing a model off its
  /// actor loses updates, so it is a programming error, never a peer's.
  public static func preconditionIsolated() {
    executor.checkIsolated()
  }
}
