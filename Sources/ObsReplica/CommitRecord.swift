public import ObsModel
import ObsWire

/// A commit as it stands in a log: everything that decides what becomes of it.
///
/// Nothing that decides may come from elsewhere, such as a configuration of today: a replay must decide as the first time did.
public struct CommitRecord: Sendable {
  /// The form of ``bytes``; the log refuses entries of a newer one.
  public static let format: UInt16 = 1

  /// What is changed, and on which conditions.
  public var commit: Commit
  /// Who asked for it; nil without identity.
  public var caller: String?
  /// Names the commit across re-sends; nil without.
  public var key: Key?
  /// The bounds that it was admitted with.
  public var limits: CommitLimits

  /// An idempotency key, within what one caller sent.
  public struct Key: Sendable, Hashable {
    /// The caller's text.
    public var text: String
    /// The digest of what was asked: the same key with another one is an error.
    public var fingerprint: String
    /// How long the answer is remembered, in seconds of log time.
    public var seconds: Int64

    /// Makes a key.
    public init(_ text: String, fingerprint: String, seconds: Int64) {
      self.text = text
      self.fingerprint = fingerprint
      self.seconds = seconds
    }
  }

  /// Makes a record.
  public init(
    _ commit: Commit,
    caller: String? = nil,
    key: Key? = nil,
    limits: CommitLimits = CommitLimits()
  ) {
    self.commit = commit
    self.caller = caller
    self.key = key
    self.limits = limits
  }
}

// MARK: As bytes (docs/LOG.md, "Commits")

extension CommitRecord {
  /// The record as JSON text: what stands in the log behind the ticket.
  public var written: [UInt8] { json.encoded }

  /// Reads what ``written`` has made.
  ///
  /// - Throws: `invalid-value`, or what the commit's own form is refused with.
  public init(reading bytes: [UInt8]) throws(CommitError) {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: bytes, limits: .unlimited) } catch {
      throw CommitError(.invalidValue, "a commit of the log is not JSON: \(error.message)")
    }
    try self.init(json)
  }

  var json: JSON {
    var members: JSON.Object = [
      "depth": .int(Int64(limits.depth)), "copies": .int(Int64(limits.copiedValues)),
    ]
    switch commit.change {
    case .patch(let operations): members["patch"] = .array(operations.map(\.json))
    case .merge(let place, let patch):
      members["merge"] = patch
      if !place.isRoot { members["at"] = .string(place.description) }
    }
    if let ifSeq = commit.ifSeq { members["ifSeq"] = .int(ifSeq) }
    if let condition = commit.condition {
      members["if"] = .string(condition.pointer.description)
      members["tags"] = .array(condition.tags.map(JSON.string))
    }
    if let caller { members["caller"] = .string(caller) }
    if let key {
      members["key"] = [.string(key.text), .string(key.fingerprint), .int(key.seconds)]
    }
    return .object(members)
  }

  /// Reads a record.
  ///
  /// - Throws: `invalid-value`, or what the commit's own form is refused with.
  init(_ json: JSON) throws(CommitError) {
    let ifSeq = json["ifSeq"]?.intValue
    var commit: Commit
    if let patch = json["patch"] {
      commit = try Commit(patch: patch, ifSeq: ifSeq)
    } else if let merge = json["merge"] {
      commit = try Commit(
        merge: merge,
        at: JSONPointer(json["at"]?.stringValue ?? ""),
        ifSeq: ifSeq
      )
    } else {
      throw CommitError(.invalidValue, "this is no commit: \(json.description.prefix(80))")
    }
    if let place = json["if"]?.stringValue {
      let tags = json["tags"]?.arrayValue?.compactMap(\.stringValue) ?? []
      commit.condition = CommitCondition(pointer: try JSONPointer(place), tags: tags)
    }
    var limits = CommitLimits.unlimited
    if let depth = json["depth"]?.intValue { limits.depth = Int(depth) }
    if let copies = json["copies"]?.intValue { limits.copiedValues = Int(copies) }
    self.init(commit, caller: json["caller"]?.stringValue, limits: limits)
    if let key = json["key"]?.arrayValue {
      guard key.count == 3, let text = key[0].stringValue, let fingerprint = key[1].stringValue,
        let seconds = key[2].intValue
      else { throw CommitError(.invalidValue, "the key of a commit is none") }
      self.key = Key(text, fingerprint: fingerprint, seconds: seconds)
    }
  }
}

extension PatchOperation {
  fileprivate var json: JSON {
    var members: JSON.Object = ["path": .string(path.description)]
    switch kind {
    case .add(let value, let ifAbsent):
      members["op"] = "add"
      members["value"] = value
      if ifAbsent { members["ifAbsent"] = true }
    case .remove: members["op"] = "remove"
    case .replace(let value):
      members["op"] = "replace"
      members["value"] = value
    case .move(let from):
      members["op"] = "move"
      members["from"] = .string(from.description)
    case .copy(let from):
      members["op"] = "copy"
      members["from"] = .string(from.description)
    case .test(let value):
      members["op"] = "test"
      members["value"] = value
    }
    return .object(members)
  }
}
