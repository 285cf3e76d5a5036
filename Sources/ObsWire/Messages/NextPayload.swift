/// A value of an operation: `payload` of a `next` (PROTOCOL.md, messages).
///
///     {"data":3,"extensions":{"rev":42,"skipped":1}}
public struct NextPayload: Sendable, Hashable {
  /// The value; `null` also where ``errors`` stand for it.
  public var data: JSON

  /// Errors that data can heal; left out on the wire when empty.
  public var errors: [WireError]

  /// What belongs to the value: `rev`, `skipped`, `more` …; left out on the wire when empty.
  public var extensions: JSON.Object

  /// Makes a payload.
  public init(data: JSON, errors: [WireError] = [], extensions: JSON.Object = [:]) {
    self.data = data
    self.errors = errors
    self.extensions = extensions
  }

  /// The turn whose state the value shows.
  public var rev: Int64? { extensions["rev"]?.intValue }

  /// The last commit contained in the value, in the durable log.
  public var seq: Int64? { extensions["seq"]?.intValue }

  /// How many newer states were passed over since the last `next` of this id.
  public var skipped: Int64 { extensions["skipped"]?.intValue ?? 0 }

  /// Whether another `next` of the same `rev` follows on this connection.
  public var more: Bool { extensions["more"]?.boolValue ?? false }

  /// Whether the value stands outside the consistent cut of its `rev`.
  public var deferred: Bool { extensions["deferred"]?.boolValue ?? false }

  /// Whether the client's own value, named by `since`, is still the newest; then ``data`` is `null`.
  public var unchanged: Bool { extensions["unchanged"]?.boolValue ?? false }

  /// The counter of a stream's event.
  public var event: Int64? { extensions["event"]?.intValue }

  /// The digest of the value, for a later `since`.
  public var digest: String? { extensions["digest"]?.stringValue }
}

extension NextPayload {
  init(_ members: MemberReader) throws(ProtocolViolation) {
    self.init(
      data: members.object["data"] ?? .null,
      errors: try WireError.list(
        members.optionalArray("errors") ?? [],
        operation: members.operation
      ),
      extensions: try members.optionalObject("extensions") ?? [:]
    )
  }
}

extension NextPayload: JSONWritable {
  /// Writes the payload, `data` first.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("data", data)
    if !errors.isEmpty { writer.member("errors", errors) }
    if !extensions.isEmpty { writer.member("extensions", extensions) }
    writer.endObject()
  }
}

extension WireError {
  static func list(
    _ elements: [JSON],
    operation: String?
  ) throws(ProtocolViolation) -> [WireError] {
    var errors: [WireError] = []
    for element in elements {
      guard let error = WireError(json: element) else {
        throw .badMessage("an error must be an object with a message", operation: operation)
      }
      errors.append(error)
    }
    return errors
  }
}
