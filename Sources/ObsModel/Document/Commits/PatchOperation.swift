public import ObsWire

/// One operation of a JSON Patch (RFC 6902).
public struct PatchOperation: Sendable {
  /// What is done at the path.
  public enum Kind: Sendable {
    /// Sets a member, or inserts an element; `ifAbsent` refuses to replace a member.
    case add(JSON, ifAbsent: Bool)
    /// Takes away what must be there.
    case remove
    /// Sets what must be there.
    case replace(JSON)
    /// Takes away what is at the other place and adds it here.
    case move(from: JSONPointer)
    /// Adds what is at the other place.
    case copy(from: JSONPointer)
    /// Refuses the whole commit unless this value is there.
    case test(JSON)
  }

  /// What is done.
  public let kind: Kind

  /// Where.
  public let path: JSONPointer
}

extension PatchOperation {
  /// Reads an operation; `base` is what its pointers start from.
  ///
  /// Members that RFC 6902 does not name are ignored, as it demands, but for `ifAbsent`.
  init(_ json: JSON, base: JSONPointer) throws(CommitError) {
    guard case .object(let members) = json else {
      throw CommitError(.patchFailed, "an operation must be an object, but this is \(json.kind)")
    }
    guard let name = members["op"] else {
      throw CommitError(.patchFailed, "the operation has no `op`")
    }
    path = try Self.pointer("path", of: members, base: base)
    switch name.stringValue {
    case "add":
      let value = try Self.value(of: members, at: path)
      kind = .add(value, ifAbsent: try Self.ifAbsent(of: members, at: path))
    case "remove":
      kind = .remove
    case "replace":
      kind = .replace(try Self.value(of: members, at: path))
    case "move":
      let from = try Self.pointer("from", of: members, base: base)
      guard from == path || !path.begins(with: from) else {
        throw CommitError(.patchFailed, "`\(from)` cannot be moved into itself", at: path)
      }
      kind = .move(from: from)
    case "copy":
      kind = .copy(from: try Self.pointer("from", of: members, base: base))
    case "test":
      kind = .test(try Self.value(of: members, at: path))
    case let other:
      let known = "`add`, `remove`, `replace`, `move`, `copy`, `test`"
      let found = other.map { "`\($0.prefix(40))`" } ?? name.kind
      throw CommitError(.patchFailed, "`op` must be one of \(known), but is \(found)", at: path)
    }
  }

  private static func pointer(
    _ name: String,
    of members: JSON.Object,
    base: JSONPointer
  ) throws(CommitError) -> JSONPointer {
    guard let member = members[name] else {
      throw CommitError(.patchFailed, "the operation has no `\(name)`")
    }
    guard let text = member.stringValue else {
      throw CommitError(.patchFailed, "`\(name)` must be a string, but is \(member.kind)")
    }
    return base.appending(try JSONPointer(text))
  }

  private static func value(of members: JSON.Object, at path: JSONPointer) throws(CommitError)
    -> JSON
  {
    guard let value = members["value"] else {
      throw CommitError(.patchFailed, "the operation has no `value`", at: path)
    }
    try value.checkNumbers(at: path)
    return value
  }

  private static func ifAbsent(of members: JSON.Object, at path: JSONPointer) throws(CommitError)
    -> Bool
  {
    guard let member = members["ifAbsent"] else { return false }
    guard let flag = member.boolValue else {
      throw CommitError(
        .patchFailed,
        "`ifAbsent` must be a boolean, but is \(member.kind)",
        at: path
      )
    }
    return flag
  }
}

extension JSON {
  /// Refuses NaN and infinity, which no JSON text has but a value made by a program may have.
  func checkNumbers(at place: JSONPointer) throws(CommitError) {
    switch self {
    case .double(let value):
      guard !value.isFinite else { return }
      throw CommitError(.numberRange, "\(value) is no JSON number", at: place)
    case .array(let elements):
      for index in elements.indices {
        try elements[index].checkNumbers(at: place, then: "\(index)")
      }
    case .object(let object):
      for member in object { try member.value.checkNumbers(at: place, then: member.key) }
    case .null, .bool, .int, .string:
      return
    }
  }

  private func checkNumbers(at place: JSONPointer, then token: String) throws(CommitError) {
    // Most values are no doubles and need no pointer.
    switch self {
    case .double, .array, .object: try checkNumbers(at: place.appending(token))
    case .null, .bool, .int, .string: return
    }
  }
}
