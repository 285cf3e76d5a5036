import ObsReplica
import Synchronization

/// Whether clients can be served, and the replica whose log may refuse commits; read from any thread.
final class Readiness: Sendable {
  private struct State {
    var notReady: String?
    var replica: Replica?
  }

  private let state = Mutex(State())

  /// Why clients are not served yet; nil when they are.
  var notReady: String? {
    get { state.withLock { $0.notReady } }
    set { state.withLock { $0.notReady = newValue } }
  }

  /// What commits go through; nil when they are applied at once.
  var replica: Replica? {
    get { state.withLock { $0.replica } }
    set { state.withLock { $0.replica = newValue } }
  }

  /// What `/readyz` answers: nil when all is well.
  var problem: String? {
    notReady ?? replica?.now.trouble.map { "commits are refused: \($0)" }
  }
}
