import ObsWire

/// The cells of one node, or of one partition of its members.
final class CellGroup {
  let context: DocumentContext
  /// The node; nil when it is gone, which it says itself.
  private(set) unowned var node: Node?
  /// The partition, if these are the cells of one.
  private weak var partition: Partition?

  private(set) var members: Cell?
  private(set) var values: Cell?
  private(set) var deep: Cell?
  private(set) var anyColumn: Cell?
  private var named: [ByteKey: Cell] = [:]
  private var columns: [ByteKey: Cell] = [:]
  private(set) var elements: [Int: Cell] = [:]
  private var count = 0

  /// The indexes of a collection that partitions need.
  private(set) var indexes: [FieldIndex] = []

  init(of node: Node, partition: Partition? = nil) {
    context = node.context
    self.node = node
    self.partition = partition
  }

  /// The node is going, or the partition that kept it.
  func forgetNode() { node = nil }

  /// The cell of a member, if a query has read it.
  func member(_ key: String) -> Cell? { named.isEmpty ? nil : named[ByteKey(key)] }

  /// The cell of a column, if a query has read it.
  func column(_ field: String) -> Cell? { columns.isEmpty ? nil : columns[ByteKey(field)] }

  /// The cell of that kind, made if it is the first time that somebody reads this.
  func cell(_ kind: Cell.Kind) -> Cell {
    if let known = known(kind) { return known }
    let cell = Cell(kind, in: self)
    put(cell, kind)
    count += 1
    context.cellCount += 1
    return cell
  }

  /// Forgets a cell that no query depends on any more, and itself with the last one.
  func drop(_ cell: Cell) {
    put(nil, cell.kind)
    count -= 1
    context.cellCount -= 1
    leaveIfEmpty()
  }

  private func leaveIfEmpty() {
    guard count == 0, indexes.isEmpty else { return }
    if let partition {
      partition.index.drop(partition)
    } else if node?.cells === self {
      node?.cells = nil
    }
  }

  /// The index on a field, made by one walk over the members if it is the first that needs it.
  func index(on field: String, of collection: ObjectNode) -> FieldIndex {
    if let known = indexes.first(where: { UTF8Order.equal($0.field, field) }) { return known }
    let index = FieldIndex(on: field, of: collection, in: self)
    indexes.append(index)
    return index
  }

  func drop(_ index: FieldIndex) {
    indexes.removeAll { $0 === index }
    leaveIfEmpty()
  }

  /// The place for people.
  var path: String {
    let place = node?.path ?? "(removed)"
    guard let partition else { return place }
    return "\(place)[\(partition.index.field)=\(partition.value)]"
  }

  /// Every cell, in no order.
  var all: [Cell] {
    let fixed = [members, values, deep, anyColumn].compactMap { $0 }
    return fixed + named.values + columns.values + elements.values
  }

  private func known(_ kind: Cell.Kind) -> Cell? {
    switch kind {
    case .members: members
    case .values: values
    case .deep: deep
    case .anyColumn: anyColumn
    case .member(let key): named[ByteKey(key)]
    case .column(let field): columns[ByteKey(field)]
    case .element(let index): elements[index]
    }
  }

  private func put(_ cell: Cell?, _ kind: Cell.Kind) {
    switch kind {
    case .members: members = cell
    case .values: values = cell
    case .deep: deep = cell
    case .anyColumn: anyColumn = cell
    case .member(let key): named[ByteKey(key)] = cell
    case .column(let field): columns[ByteKey(field)] = cell
    case .element(let index): elements[index] = cell
    }
  }
}
