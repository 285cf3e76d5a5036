import ObsWire

// Which cells an edit concerns. Only cells that exist are looked at: the node's own, and up the ancestors those of
// collections (columns, partitions) and of whole subtrees. The edit has already been stored.

extension Document {
  func noteMember(_ key: String, of node: ObjectNode, old: Content?, new: Content?) {
    let changed = !Content.isSame(old, new)
    if let cells = node.cells {
      for index in cells.indexes {
        moveRecord(key, in: index, from: old, to: new, wakes: changed)
      }
      if changed {
        transaction?.wake(cells.member(key))
        transaction?.wake((old == nil) == (new == nil) ? cells.values : cells.members)
      }
    }
    guard changed else { return }
    noteAround(node, Field(key: key, old: old, new: new))
    touch(node, key: key, isPresent: new != nil)
  }

  func noteElement(_ index: Int, of list: ListNode) {
    if let cells = list.cells {
      transaction?.wake(cells.elements[index])
      transaction?.wake(cells.values)
    }
    noteAround(list, nil)
    touch(list)
  }

  func noteElements(from index: Int, of list: ListNode) {
    if let cells = list.cells {
      transaction?.wake(cells.members)
      for (place, cell) in cells.elements where place >= index { transaction?.wake(cell) }
    }
    noteAround(list, nil)
    touch(list)
  }

  /// The whole document becomes another one: all that was read of the old root is woken.
  func noteRoot(old: Content) {
    transaction?.wake(plainRoot.cells?.members)
    for cell in old.node?.cells?.all ?? [] { transaction?.wake(cell) }
    transaction?.touched.append(.root)
  }

  /// A member of a node that was set or removed.
  private struct Field {
    let key: String
    let old: Content?
    let new: Content?
  }

  /// Queues what depends on the subtree around an edit: of each collection the column, of each ancestor the whole.
  private func noteAround(_ node: Node, _ edited: Field?) {
    transaction?.wake(node.cells?.deep)
    var edited = edited
    var field = edited?.key
    var record = node
    while let collection = record.parent {
      if let cells = collection.cells {
        transaction?.wake(cells.deep)
        transaction?.wake(cells.anyColumn)
        if let field { transaction?.wake(cells.column(field)) }
        for index in cells.indexes { noteRecord(record, field, edited, in: index) }
      }
      edited = nil
      field = collection is ListNode ? nil : record.key
      record = collection
    }
  }

  /// Queues what depends on the partition of a record that has changed, and moves the record if need be.
  private func noteRecord(_ record: Node, _ field: String?, _ edited: Field?, in index: FieldIndex)
  {
    if let edited, UTF8Order.equal(edited.key, index.field) {
      let old = index.value(ofField: edited.old)
      let new = index.value(ofField: edited.new)
      if old != new { return moveRecord(record, in: index, from: old, to: new) }
    }
    guard let value = index.value(of: .node(record)), let partition = index.known(value) else {
      return
    }
    transaction?.wake(partition.cells.anyColumn)
    if let field { transaction?.wake(partition.cells.column(field)) }
  }

  /// A record's indexed field has got another value.
  private func moveRecord(_ record: Node, in index: FieldIndex, from old: JSON?, to new: JSON?) {
    index.move(record.key, from: old, to: new, .node(record))
    wakeMembers(of: index, old)
    wakeMembers(of: index, new)
  }

  /// A member of an indexed collection came, went, or was replaced.
  private func moveRecord(
    _ key: String,
    in index: FieldIndex,
    from old: Content?,
    to new: Content?,
    wakes: Bool
  ) {
    let before = old.flatMap { index.value(of: $0) }
    let after = new.flatMap { index.value(of: $0) }
    index.move(key, from: before, to: after, new)
    guard wakes else { return }
    wakeMembers(of: index, before)
    if before != after { wakeMembers(of: index, after) }
  }

  private func wakeMembers(of index: FieldIndex, _ value: JSON?) {
    guard let value, let partition = index.known(value) else { return }
    transaction?.wake(partition.cells.members)
  }
}

extension Content {
  /// Whether nothing changes when the one takes the place of the other.
  static func isSame(_ old: Content?, _ new: Content?) -> Bool {
    switch (old, new) {
    case (nil, nil): true
    case (.node(let old)?, .node(let new)?): old === new
    case (let old?, let new?): old.scalar != nil && old.scalar == new.scalar
    default: false
    }
  }
}
