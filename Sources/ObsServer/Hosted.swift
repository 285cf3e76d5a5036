public import ObsModel
public import Observation

/// A model under its name, until it is removed.
///
/// Read ``model`` in queries: it is observed, so that removing the model wakes every query that read
/// it. (A model that is merely deallocated wakes nobody.)
@ObsActor @Observable
public final class Hosted<Model: AnyObject> {
  /// The name it is hosted under.
  public let name: String
  /// The model; nil once it has been removed.
  public internal(set) var model: Model?

  init(_ name: String, _ model: Model) {
    self.name = name
    self.model = model
  }
}

/// What the server needs of a hosted model, whatever its type.
@ObsActor
protocol Removable: AnyObject {
  func remove()
}

extension Hosted: Removable {
  func remove() { model = nil }
}
