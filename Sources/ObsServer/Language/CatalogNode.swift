import ObsModel
import ObsQuery
import ObsWire

/// The root object where there are hosted models: their names beside the document's members.
@ObsActor
final class CatalogNode {
  private let models: [Catalog.Entry]
  private let document: (any Readable)?

  init(_ catalog: Catalog, _ documentRoot: Value?) {
    models = catalog.models
    // A document that is no object has no members.
    if case .node(let node, _)? = documentRoot, node.form == .object {
      document = node
    } else {
      document = nil
    }
  }

  private func model(_ name: String) -> Value? { models.first { $0.name == name }?.value() }

  /// All keys in byte order, and whose they are.
  private func merge(
    _ visit: (String, Catalog.Entry?) throws(QueryError) -> Bool
  ) throws(QueryError) {
    var rest = models[...]
    var goesOn = true
    try document?.forEachKey(nil) { (key: String) throws(QueryError) -> Bool in
      while let model = rest.first, UTF8Order.precedes(model.name, key) {
        rest.removeFirst()
        goesOn = try visit(model.name, model)
        if !goesOn { return false }
      }
      goesOn = try visit(key, nil)
      return goesOn
    }
    while goesOn, let model = rest.popFirst() { goesOn = try visit(model.name, model) }
  }
}

extension CatalogNode: @ObsActor Readable {
  var form: ReadableForm { .object }

  func count(_ scope: ScanScope?) -> Int { models.count + (document?.count(nil) ?? 0) }

  func member(_ name: MemberName, _ scope: ScanScope?) -> Value? {
    model(name.text) ?? document?.member(name, nil)
  }

  func member(key: String, _ scope: ScanScope?) -> Value? {
    model(key) ?? document?.member(key: key, nil)
  }

  func element(_ index: Int, _ scope: ScanScope?) -> Value? { nil }

  func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {
    try merge { (key: String, _: Catalog.Entry?) throws(QueryError) -> Bool in try body(key) }
  }

  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    try merge { (key: String, model: Catalog.Entry?) throws(QueryError) -> Bool in
      try body(key, model?.value() ?? document?.member(key: key, nil) ?? .null)
    }
  }

  func snapshot(_ scope: ScanScope?) -> JSON {
    var object = document?.snapshot(nil).objectValue ?? [:]
    for model in models { object[model.name] = model.value().json }
    return .object(object)
  }
}
