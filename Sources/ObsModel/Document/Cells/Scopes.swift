import ObsQuery
import ObsWire

/// Given to the members of a scan: what is read of them is noted once for all of them, as columns.
///
/// Lives for one scan, so it may remember what was noted.
final class ColumnScope {
  private let group: CellGroup
  private var latest: MemberName?
  private var noted: [MemberName] = []

  init(_ group: CellGroup) { self.group = group }

  /// Notes that one field of the records is read.
  func note(_ name: MemberName, by reader: ReadSet) {
    if latest === name { return }
    latest = name
    if noted.contains(where: { $0 === name }) { return }
    noted.append(name)
    reader.note(group.cell(.column(name.text)))
  }

  /// Notes that one field of the records is read.
  func note(key: String, by reader: ReadSet) { reader.note(group.cell(.column(key))) }

  /// Notes that all of the records is read.
  func noteAll(by reader: ReadSet) { reader.note(group.cell(.anyColumn)) }
}

/// Given to containers whose whole subtree is already depended on: nothing that is read of them is noted.
final class CoveredScope {}

extension Node {
  /// What live queries have read here; made for the first of them.
  var madeCells: CellGroup {
    if let cells { return cells }
    let made = CellGroup(of: self)
    cells = made
    return made
  }

  /// Notes a read that is finer than a column can tell: of the node itself, or of all that the scan reached.
  func note(_ kind: @autoclosure () -> Cell.Kind, _ scope: ScanScope?) {
    guard let reader = context.reader else { return }
    guard let scope else { return reader.note(madeCells.cell(kind())) }
    (scope as? ColumnScope)?.noteAll(by: reader)
  }

  /// Notes that the whole subtree is read.
  func noteWhole(_ scope: ScanScope?) { note(.deep, scope) }

  /// The scope for the members of a walk over this node.
  func scanned(_ scope: ScanScope?) -> ScanScope? {
    scope == nil && context.reader != nil ? ColumnScope(madeCells) : context.covered
  }

  /// The scope for one member of this node.
  func inside(_ scope: ScanScope?) -> ScanScope? { scope == nil ? nil : context.covered }
}
