import ObsWire

extension ChangeMarks {
  /// The marks as they are now, as lines of a snapshot: without them a restarted server would judge `ifSeq` differently.
  var lines: Lines { Lines(self) }

  /// The lines of the marks: `{"marks":…}`, then `{"collection":…}` and `{"records":…}` for each member of the root.
  struct Lines {
    private static let recordsOfLine = 1000

    private var head: JSON?
    private var groups: [(name: String, marks: JSON, records: KeyedBlocks.Image)]
    private var records = KeyedBlocks.Image([])

    fileprivate init(_ marks: ChangeMarks) {
      head = ["marks": Lines.json(marks.changed, marks.base, marks.removal)]
      // Copies references only; the last one first, to be taken from the end.
      groups = marks.groups
        .sorted { UTF8Order.precedes($1.key.text, $0.key.text) }
        .map { name, group in
          let marks = Lines.json(group.changed, group.base, group.removal)
          return (name.text, marks, group.records.image)
        }
    }

    mutating func next() -> JSON? {
      if let head {
        self.head = nil
        return head
      }
      if !records.isAtEnd {
        var members: [JSON.Object.Member] = []
        while members.count < Lines.recordsOfLine, let (key, seq) = records.next() {
          members.append((key, seq.scalar ?? .null))
        }
        return ["records": .object(JSON.Object(members))]
      }
      guard let group = groups.popLast() else { return nil }
      records = group.records
      return ["collection": .string(group.name), "marks": group.marks]
    }

    private static func json(_ changed: Int64, _ base: Int64, _ removal: Int64) -> JSON {
      ["changed": .int(changed), "base": .int(base), "removal": .int(removal)]
    }
  }

  /// Takes a line that ``lines`` has made, or says false; `collection` is the one whose records follow.
  mutating func take(_ line: JSON, collection: inout ByteKey?) -> Bool {
    if let records = line["records"]?.objectValue {
      guard let collection, let group = groups[collection] else { return false }
      for record in records {
        guard let seq = record.value.intValue else { return false }
        group.records.append(record.key, .int(seq))
      }
      return true
    }
    guard let marks = line["marks"], let changed = marks["changed"]?.intValue,
      let base = marks["base"]?.intValue, let removal = marks["removal"]?.intValue
    else { return false }
    if let name = line["collection"]?.stringValue {
      let key = ByteKey(name)
      guard groups[key] == nil else { return false }
      var group = Group(seq: base)
      (group.changed, group.removal) = (changed, removal)
      groups[key] = group
      collection = key
    } else {
      (self.changed, self.base, self.removal) = (changed, base, removal)
    }
    return true
  }
}
