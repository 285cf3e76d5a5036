import ObsQuery
import ObsWire

/// Plain JSON behind `Readable` that notes what is read, in words: `issues/i01.title`, `issues has`, `issues keys`.
///
/// Scans note themselves as a live document would: members that were reached by a walk note a column
/// (`issues/*.state`), once.
final class RecordingNode: Readable {
  final class Log {
    /// Every kind of read once, in the order of the first.
    var reads: [String] = []
    /// How many members were handed over by walks.
    var walked = 0
    /// Whether `matching` answers.
    var knowsPartitions = false

    func note(_ read: String) {
      if !reads.contains(read) { reads.append(read) }
    }
  }

  let json: JSON
  let path: String
  let log: Log

  init(_ json: JSON, path: String = "", log: Log) {
    self.json = json
    self.path = path
    self.log = log
  }

  private func value(_ json: JSON?, _ name: String, isInScan: Bool = false) -> Value? {
    guard let json else { return nil }
    switch json {
    case .array, .object:
      return .node(
        RecordingNode(json, path: path.isEmpty ? name : path + "/" + name, log: log),
        nil
      )
    default: return Value(json)
    }
  }

  var form: ReadableForm { if case .array = json { .array } else { .object } }

  func count(_ scope: ScanScope?) -> Int {
    log.note("\(path) membership")
    return json.arrayValue?.count ?? json.objectValue?.count ?? 0
  }

  func member(_ name: MemberName, _ scope: ScanScope?) -> Value? { member(key: name.text, scope) }

  func member(key: String, _ scope: ScanScope?) -> Value? {
    log.note(path.isEmpty ? key : "\(path).\(key)")
    return value(json[key], key)
  }

  func element(_ index: Int, _ scope: ScanScope?) -> Value? {
    log.note("\(path)[\(index)]")
    return value(json[index], String(index))
  }

  func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {
    log.note("\(path) membership")
    for key in json.objectValue?.keys ?? [] {
      guard try body(key) else { return }
    }
  }

  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    log.note("\(path) membership")
    let members = json.objectValue.map { $0.map { ($0.key, $0.value) } }
    for (key, member) in members ?? (json.arrayValue ?? []).map({ ("", $0) }) {
      log.walked += 1
      let isContainer = member.arrayValue != nil || member.objectValue != nil
      if !isContainer { log.note("\(path) scalars") }
      guard try body(key, value(member, "*") ?? .null) else { return }
    }
  }

  func matching(
    _ name: MemberName,
    _ value: JSON,
    _ scope: ScanScope?
  ) -> (any Readable)? {
    guard log.knowsPartitions else { return nil }
    log.note("\(path)[\(name.text)=\(value)]")
    let partition: JSON
    if let object = json.objectValue {
      partition = .object(JSON.Object(object.filter { $0.value[name.text] == value }))
    } else {
      partition = .array((json.arrayValue ?? []).filter { $0[name.text] == value })
    }
    return RecordingNode(partition, path: "\(path)[\(name.text)=\(value)]", log: log)
  }

  func snapshot(_ scope: ScanScope?) -> JSON {
    log.note("\(path) whole")
    return json
  }
}
