/// A value that is only touched on its loop's thread, and may therefore be carried anywhere.
///
/// Unchecked: `storage` is guarded by the precondition in ``value``; it is put in before anyone else can see it.
final class LoopBound<Value>: @unchecked Sendable {
  private let core: LoopCore
  private let storage: Value

  init(_ core: LoopCore, _ value: Value) {
    self.core = core
    storage = value
  }

  /// The value; on the loop's thread only.
  var value: Value {
    precondition(core.isCurrent, "this call belongs on the thread of the event loop")
    return storage
  }
}
