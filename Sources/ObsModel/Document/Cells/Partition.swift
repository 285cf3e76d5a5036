import ObsQuery
import ObsWire

/// The members of a collection whose field equals one value: `values(rows)[?region == 7]`.
///
/// A query depends on this partition alone, with columns of its own: what happens to other records costs it nothing.
final class Partition: Readable {
  let index: FieldIndex
  let value: JSON
  private let collection: ObjectNode
  private var madeCells: CellGroup?

  init(of collection: ObjectNode, by index: FieldIndex, value: JSON) {
    self.collection = collection
    self.index = index
    self.value = value
  }

  deinit { madeCells?.forgetNode() }

  /// What live queries have read here.
  var cells: CellGroup {
    if let madeCells { return madeCells }
    let made = CellGroup(of: collection, partition: self)
    madeCells = made
    return made
  }

  private var context: DocumentContext { collection.context }
  private var bucket: Bucket? { index.bucket(value) }

  /// The answers do not depend on the scope: a partition is only ever reached from its collection.
  private var scope: ScanScope {
    context.reader == nil ? context.covered : ColumnScope(cells)
  }

  /// Notes that the partition's membership is read; keeps the partition as long as the query.
  func noteMembers() { context.reader?.note(cells.cell(.members)) }

  var form: ReadableForm { .object }

  func count(_ scope: ScanScope?) -> Int {
    noteMembers()
    return bucket?.count ?? 0
  }

  func member(_ name: MemberName, _ scope: ScanScope?) -> Value? { member(key: name.text, scope) }

  func member(key: String, _ scope: ScanScope?) -> Value? {
    noteMembers()
    return bucket?[key].map { $0.value(self.scope) }
  }

  func element(_ index: Int, _ scope: ScanScope?) -> Value? { nil }

  func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {
    noteMembers()
    try bucket?.forEach { (key: String, _: Content) throws(QueryError) -> Bool in try body(key) }
  }

  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    noteMembers()
    let scope = self.scope
    try bucket?.forEach { (key: String, content: Content) throws(QueryError) -> Bool in
      try body(key, content.value(scope))
    }
  }

  func snapshot(_ scope: ScanScope?) -> JSON {
    noteMembers()
    context.reader?.note(cells.cell(.anyColumn))
    var members: [JSON.Object.Member] = []
    bucket?.forEach { key, content in
      members.append((key, content.json))
      return true
    }
    return .object(JSON.Object(members))
  }
}
