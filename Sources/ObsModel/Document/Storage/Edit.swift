/// The smallest changes; all that ever happens to a document is made of them.
enum Edit {
  /// Sets or removes (nil) a member.
  case member(ObjectNode, String, Content?)
  /// Sets an element.
  case element(ListNode, Int, Content)
  case insert(ListNode, Int, Content)
  case remove(ListNode, Int)
  /// Sets the whole document.
  case root(Content)

  /// The container that it changes; nil for the whole document.
  var container: Node? {
    switch self {
    case .member(let node, _, _): node
    case .element(let list, _, _), .insert(let list, _, _), .remove(let list, _): list
    case .root: nil
    }
  }
}

/// What a commit has done so far: how to undo it, whom to wake, and what to mark as changed.
struct Transaction {
  let number: UInt64
  /// The edits that undo it, the last one first to be applied.
  var undo: [Edit] = []
  var woken: [Cell] = []
  var touched: [ChangeMarks.Touch] = []
  let depth: Int
  var copiesLeft: Int

  init(number: UInt64, limits: CommitLimits) {
    self.number = number
    depth = min(limits.depth, Document.maximumDepth)
    copiesLeft = limits.copiedValues
  }

  /// Queues a cell to be fired when the commit is through.
  mutating func wake(_ cell: Cell?) {
    guard let cell, cell.queued != number else { return }
    cell.queued = number
    woken.append(cell)
  }
}

extension Document {
  /// Does one edit: the one place through which every change passes.
  ///
  /// Stores it, keeps indexes right, remembers how to undo it, and queues the cells that it concerns. A plain value
  /// that is replaced by an equal one (`3` by `3.0`) is stored in its new form, and concerns nobody.
  func perform(_ edit: Edit) {
    if let runningSnapshot, let node = edit.container { runningSnapshot.keep(node) }
    switch edit {
    case .member(let node, let key, let new):
      let old = node.set(key, new)
      transaction?.undo.append(.member(node, key, old))
      noteMember(key, of: node, old: old, new: new)
    case .element(let list, let index, let new):
      let old = list.replace(index, new)
      transaction?.undo.append(.element(list, index, old))
      if Content.isSame(old, new) { return }
      noteElement(index, of: list)
    case .insert(let list, let index, let new):
      list.insert(new, at: index)
      transaction?.undo.append(.remove(list, index))
      noteElements(from: index, of: list)
    case .remove(let list, let index):
      let old = list.remove(index)
      transaction?.undo.append(.insert(list, index, old))
      noteElements(from: index, of: list)
    case .root(let new):
      let old = content
      content = new
      transaction?.undo.append(.root(old))
      if Content.isSame(old, new) { return }
      noteRoot(old: old)
    }
  }
}
