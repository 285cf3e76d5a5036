import ObsWire

/// When what was last changed, for `ifSeq`: by the first two segments of a pointer (PROTOCOL.md, commits).
///
/// A shorter pointer means its whole subtree. What is absent counts as changed at the last removal around it: one number
/// a collection and no tombstones. Nothing here depends on how the document is stored.
struct ChangeMarks {
  /// What an edit has touched.
  enum Touch {
    case root
    /// A member of the root itself was set or removed.
    case top(String, isPresent: Bool)
    /// A member of a member of the root.
    case record(String, String, isPresent: Bool)
    /// Something inside a list that is a member of the root.
    case list(String)
  }

  struct Group {
    /// The last change of anything in it.
    var changed: Int64
    /// The last change of records that have no number of their own.
    var base: Int64
    var removal: Int64
    /// The last change of each record, as an integer: in byte order, and without a moment in which all are rehashed.
    let records = KeyedBlocks()

    init(seq: Int64) {
      changed = seq
      base = seq
      removal = seq
    }
  }

  /// The last change of anything.
  var changed: Int64
  /// The last change of members of the root that have no marks of their own.
  var base: Int64
  var removal: Int64
  var groups: [ByteKey: Group] = [:]

  /// Everything counts as changed at a place in the log.
  init(seq: Int64) {
    changed = seq
    base = seq
    removal = seq
  }

  mutating func apply(_ touches: [Touch], at seq: Int64) {
    for touch in touches {
      changed = seq
      switch touch {
      case .root:
        self = ChangeMarks(seq: seq)
      case .top(let name, isPresent: true), .list(let name):
        groups[ByteKey(name)] = Group(seq: seq)
      case .top(let name, isPresent: false):
        groups[ByteKey(name)] = nil
        removal = seq
      case .record(let name, let key, let isPresent):
        var group = groups[ByteKey(name)] ?? Group(seq: base)
        group.changed = seq
        if !isPresent { group.removal = seq }
        _ = group.records.set(key, isPresent ? .int(seq) : nil)
        groups[ByteKey(name)] = group
      }
    }
  }

  /// The last change of what is at a place, or of what is missing there.
  func lastChange(at tokens: some Collection<String>, in root: Content) -> Int64 {
    guard let name = tokens.first else { return changed }
    guard let object = root.node as? ObjectNode else { return changed }
    guard let content = object[name] else { return removal }
    let group = groups[ByteKey(name)] ?? Group(seq: base)
    guard let key = tokens.dropFirst().first, let node = content.node as? ObjectNode else {
      return group.changed
    }
    guard node[key] != nil else { return group.removal }
    return group.records[key]?.scalar?.intValue ?? group.base
  }
}

extension Document {
  /// Remembers that a member was set or removed, or that the elements of a list have changed.
  func touch(_ node: Node, key: String = "", isPresent: Bool = true) {
    guard transaction != nil else { return }
    // The root and the node below it on the way to the edit, with the keys that lead on.
    var second: (node: Node, key: String)?
    var first = (node: node, key: key)
    var isDirect = true
    while let parent = first.node.parent {
      if second != nil { isDirect = false }
      second = first
      first = (parent, first.node.key)
    }
    let touch: ChangeMarks.Touch
    if first.node is ListNode {
      touch = .root
    } else if let second {
      touch =
        second.node is ListNode
        ? .list(first.key)
        : .record(first.key, second.key, isPresent: isPresent || !isDirect)
    } else {
      touch = .top(first.key, isPresent: isPresent)
    }
    transaction?.touched.append(touch)
  }
}
