/// Reads the members of one object of a message, and says exactly which one is wrong.
///
/// Members that may be absent may also be `null`: some clients write all that they know. Others are ignored.
struct MemberReader {
  let object: JSON.Object
  /// How the object is called in a reason: `` for the message itself, `payload.extensions`.
  let path: String
  let operation: String?

  func optionalString(_ name: String) throws(ProtocolViolation) -> String? {
    guard let value = value(name) else { return nil }
    guard case .string(let text) = value else { throw wrong(name, "a string", value) }
    return text
  }

  func string(_ name: String) throws(ProtocolViolation) -> String {
    guard let text = try optionalString(name) else { throw missing(name) }
    return text
  }

  func flag(_ name: String) throws(ProtocolViolation) -> Bool {
    guard let value = value(name) else { return false }
    guard case .bool(let flag) = value else { throw wrong(name, "a boolean", value) }
    return flag
  }

  func optionalInteger(_ name: String, atLeast minimum: Int64) throws(ProtocolViolation) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let integer = value.intValue else { throw wrong(name, "an integer", value) }
    guard integer >= minimum else {
      throw .badMessage("\(qualified(name)) must be at least \(minimum)", operation: operation)
    }
    return integer
  }

  func optionalObject(_ name: String) throws(ProtocolViolation) -> JSON.Object? {
    guard let value = value(name) else { return nil }
    guard case .object(let object) = value else { throw wrong(name, "an object", value) }
    return object
  }

  func optionalArray(_ name: String) throws(ProtocolViolation) -> [JSON]? {
    guard let value = value(name) else { return nil }
    guard case .array(let elements) = value else { throw wrong(name, "an array", value) }
    return elements
  }

  /// The object of a member, ready to be read; an empty one when it is absent.
  func nested(_ name: String) throws(ProtocolViolation) -> MemberReader {
    MemberReader(
      object: try optionalObject(name) ?? [:],
      path: qualified(name),
      operation: operation
    )
  }

  func missing(_ name: String) -> ProtocolViolation {
    .badMessage("\(qualified(name)) is missing", operation: operation)
  }

  func wrong(_ name: String, _ expected: String, _ found: JSON) -> ProtocolViolation {
    .badMessage(
      "\(qualified(name)) must be \(expected), but is \(found.kind)",
      operation: operation
    )
  }

  private func value(_ name: String) -> JSON? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  private func qualified(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

/// The frame that all messages share: an object with a `type`, and for most an `id`.
struct MessageEnvelope {
  let type: String
  let members: MemberReader

  init(parsing bytes: [UInt8], limits: JSONLimits) throws(ProtocolViolation) {
    let json: JSON
    do {
      json = try JSON(parsing: bytes, limits: limits)
    } catch {
      throw ProtocolViolation(error, in: bytes)
    }
    guard case .object(let object) = json else {
      throw .badMessage("must be an object, but is \(json.kind)")
    }
    let id = object["id"]?.stringValue.flatMap { Self.isValid(id: $0) ? $0 : nil }
    members = MemberReader(object: object, path: "", operation: id)
    type = try members.string("type")
  }

  /// The id of an operation: 1 to 128 bytes.
  func id() throws(ProtocolViolation) -> String {
    let id = try members.string("id")
    guard Self.isValid(id: id) else { throw .badMessage("id must have 1 to 128 bytes") }
    return id
  }

  static func isValid(id: String) -> Bool { (1...128).contains(id.utf8.count) }
}
