import ObsQuery
import ObsWire

// How a query reads an object: what is read is noted in cells, but only while a live query is evaluated.

extension ObjectNode {
  func readCount(_ scope: ScanScope?) -> Int {
    note(.members, scope)
    return memberCount
  }

  func readMember(_ name: MemberName, _ scope: ScanScope?) -> Value? {
    if let reader = context.reader {
      if let scope {
        (scope as? ColumnScope)?.note(name, by: reader)
      } else {
        reader.note(madeCells.cell(.member(name.text)))
      }
    }
    return self[name].map { $0.value(inside(scope)) }
  }

  func readMember(key: String, _ scope: ScanScope?) -> Value? {
    if let reader = context.reader {
      if let scope {
        (scope as? ColumnScope)?.note(key: key, by: reader)
      } else {
        reader.note(madeCells.cell(.member(key)))
      }
    }
    return self[key].map { $0.value(inside(scope)) }
  }

  func readKeys(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {
    note(.members, scope)
    try forEach { (key: String, _: Content) throws(QueryError) -> Bool in try body(key) }
  }

  func readMembers(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    note(.members, scope)
    note(.values, scope)
    let scope = scanned(scope)
    try forEach { (key: String, content: Content) throws(QueryError) -> Bool in
      try body(key, content.value(scope))
    }
  }

  /// A partition, for a live query that has reached the collection by its path.
  ///
  /// Inside a scan a walk is right: it depends on the whole column anyway. So it is outside of live queries: an index
  /// is worth its making only if it is used again.
  func partition(_ name: MemberName, _ value: JSON, _ scope: ScanScope?) -> Partition? {
    guard context.reader != nil, scope == nil, !value.isContainer else { return nil }
    let partition = madeCells.index(on: name.text, of: self).partition(value, of: self)
    partition.noteMembers()
    return partition
  }
}

extension ListNode {
  func readCount(_ scope: ScanScope?) -> Int {
    note(.members, scope)
    return elements.count
  }

  func readElement(_ index: Int, _ scope: ScanScope?) -> Value? {
    note(.element(index), scope)
    guard elements.indices.contains(index) else { return nil }
    return elements[index].value(inside(scope))
  }

  func readElements(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    note(.members, scope)
    note(.values, scope)
    let scope = scanned(scope)
    for element in elements {
      guard try body("", element.value(scope)) else { return }
    }
  }
}
