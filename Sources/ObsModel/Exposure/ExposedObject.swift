internal import ObsQuery

/// A model, or a value with a schema, as a query walks it; making one is an allocation and two references.
@ObsActor
final class ExposedObject {
  /// The model, or a ``Boxed`` value.
  private let object: AnyObject
  private let table: FieldTable

  init(_ object: AnyObject, _ table: FieldTable) {
    self.object = object
    self.table = table
  }

  /// The model itself; a value is boxed anew for each reading.
  var identity: ObjectIdentifier { ObjectIdentifier(object) }

  private func read(_ place: Int) -> Value {
    ModelReads.counting?.note(place, of: table)
    return table.readers[place](object)
  }
}

extension ExposedObject: @ObsActor ExposureNode {
  var form: ReadableForm { .object }

  func count(_ scope: ScanScope?) -> Int { table.names.count }

  func member(_ name: MemberName, _ scope: ScanScope?) -> Value? {
    table.place(of: name).map(read)
  }

  func member(key: String, _ scope: ScanScope?) -> Value? {
    table.place(of: key).map(read)
  }

  func element(_ index: Int, _ scope: ScanScope?) -> Value? { nil }

  func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {
    for name in table.names {
      guard try body(name) else { return }
    }
  }

  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    for place in table.names.indices {
      guard try body(table.names[place], read(place)) else { return }
    }
  }
}
