import ObsModel
import ObsQuery
import ObsWire
import Observation

/// What stands at the root of the query language: the document, and hosted models that are exposed.
///
/// Observed as a whole: hosting and removing wake every query that reads the root.
@ObsActor @Observable
final class Catalog {
  /// A model under its name.
  struct Entry {
    let name: String
    /// What clients see of it, for `$describe`.
    let shape: JSON
    let value: () -> Value
  }

  private(set) var document: Document?
  /// In the byte order of their names.
  private(set) var models: [Entry] = []

  nonisolated init() {}

  func set(_ document: Document?) { self.document = document }

  func add(_ name: String, _ shape: JSON, _ value: @escaping () -> Value) {
    let place = models.firstIndex { $0.name > name } ?? models.count
    models.insert(Entry(name: name, shape: shape, value: value), at: place)
  }

  func remove(_ name: String) { models.removeAll { $0.name == name } }

  /// The root, given the document's.
  func root(_ documentRoot: Value?) -> Value {
    if models.isEmpty { return documentRoot ?? .object(QueryObject([])) }
    return .node(CatalogNode(self, documentRoot), nil)
  }
}
