public import ObsQuery
internal import ObsWire

/// The fields of one schema without their types, for nodes.
@ObsActor @usableFromInline
final class FieldTable {
  /// Reads a field of a model, or of a ``Boxed`` value.
  @usableFromInline typealias Reader = (AnyObject) -> Value

  /// The name of the type whose fields these are.
  let typeName: String
  /// In byte order.
  let names: [String]
  /// In the order of the names.
  let readers: [Reader]

  @usableFromInline init(of type: Any.Type, names: [String], readers: [Reader]) {
    typeName = "\(type)"
    self.names = names
    self.readers = readers
    let kept = FieldTable.all[ObjectIdentifier(type), default: []] + [self]
    FieldTable.all[ObjectIdentifier(type)] = kept
    guard kept.count <= FieldTable.mostOfOneType else {
      fatalError("`schema` of \(type) is made again and again; declare it as a `static let`")
    }
  }

  /// All of them live forever, so that the identity of one, which names remember, never becomes that of another.
  private static var all: [ObjectIdentifier: [FieldTable]] = [:]
  private static let mostOfOneType = 100

  /// The places of names in their byte order; traps for a name that cannot be one.
  @usableFromInline static func order(_ names: [String], of type: Any.Type) -> [Int] {
    let order = names.indices.sorted { UTF8Order.precedes(names[$0], names[$1]) }
    for (place, index) in order.enumerated() {
      guard !names[index].isEmpty else {
        fatalError("the schema of \(type) has a field without a name")
      }
      guard place == 0 || !UTF8Order.equal(names[order[place - 1]], names[index]) else {
        fatalError("the schema of \(type) has two fields `\(names[index])`")
      }
    }
    return order
  }

  /// The place of a name that a query's text has, or nil.
  func place(of name: MemberName) -> Int? {
    let source = ObjectIdentifier(self)
    if name.source != source {
      name.source = source
      name.token = place(of: name.text) ?? -1
    }
    return name.token < 0 ? nil : name.token
  }

  /// The place of a name, or nil.
  func place(of name: String) -> Int? {
    var low = 0
    var high = names.count
    while low < high {
      let middle = (low + high) / 2
      let order = UTF8Order.compare(names[middle], name)
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

/// A value with a schema that is no object, as one.
@usableFromInline
final class Boxed<Model> {
  @usableFromInline let model: Model

  @inlinable init(_ model: Model) { self.model = model }

  /// The model that is this object, or the value in this box.
  @inlinable static func contents(of object: AnyObject) -> Model {
    if let box = object as? Boxed<Model> { return box.model }
    guard let model = object as? Model else {
      fatalError("a node of \(Model.self) holds \(object)")
    }
    return model
  }
}
