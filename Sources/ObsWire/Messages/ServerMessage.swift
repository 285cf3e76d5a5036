/// A message from the server (PROTOCOL.md, messages).
public enum ServerMessage: Sendable, Hashable {
  /// The answer to `connection_init`: `protocol`, `server`, `session`, `epoch`, `rev`, `limits` …
  case connectionAck(payload: JSON.Object)
  /// Answered with a `pong` of the same payload.
  case ping(payload: JSON.Object?)
  /// The answer to a `ping`.
  case pong(payload: JSON.Object?)
  /// A value of an operation.
  case next(id: String, payload: NextPayload)
  /// The end of an operation by errors, at least one; no `complete` follows.
  case error(id: String, errors: [WireError])
  /// The end of an operation.
  case complete(id: String)
}

extension ServerMessage {
  /// Reads a message; unknown members are ignored.
  ///
  /// - Parameters:
  ///   - bytes: the text of one WebSocket message.
  ///   - limits: the largest and deepest text that is accepted.
  /// - Throws: what to close the connection with: 4400, or 1009 over ``JSONLimits/maximumBytes``.
  public init(parsing bytes: [UInt8], limits: JSONLimits = .init()) throws(ProtocolViolation) {
    let message = try MessageEnvelope(parsing: bytes, limits: limits)
    switch message.type {
    case "connection_ack":
      self = .connectionAck(payload: try message.members.optionalObject("payload") ?? [:])
    case "ping":
      self = .ping(payload: try message.members.optionalObject("payload"))
    case "pong":
      self = .pong(payload: try message.members.optionalObject("payload"))
    case "next":
      let id = try message.id()
      guard try message.members.optionalObject("payload") != nil else {
        throw message.members.missing("payload")
      }
      self = .next(id: id, payload: try NextPayload(message.members.nested("payload")))
    case "error":
      let id = try message.id()
      let errors = try WireError.list(
        message.members.optionalArray("payload") ?? [],
        operation: id
      )
      guard !errors.isEmpty else {
        throw .badMessage("payload must be a list of at least one error", operation: id)
      }
      self = .error(id: id, errors: errors)
    case "complete":
      self = .complete(id: try message.id())
    default:
      throw .badMessage("unknown type \(message.type)", operation: message.members.operation)
    }
  }

  /// The message as it is sent.
  public var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    switch self {
    case .connectionAck(let payload):
      writer.member("type", "connection_ack")
      writer.member("payload", payload)
    case .ping(let payload):
      writer.member("type", "ping")
      if let payload { writer.member("payload", payload) }
    case .pong(let payload):
      writer.member("type", "pong")
      if let payload { writer.member("payload", payload) }
    case .next(let id, let payload):
      writer.member("id", id)
      writer.member("type", "next")
      writer.member("payload", payload)
    case .error(let id, let errors):
      writer.member("id", id)
      writer.member("type", "error")
      writer.member("payload", errors)
    case .complete(let id):
      writer.member("id", id)
      writer.member("type", "complete")
    }
    writer.endObject()
    return writer.bytes
  }

  /// The bytes of a `next` up to its value: `{"id":…,"type":"next","payload":{"data":`.
  ///
  /// A subscription keeps them; a frame is these bytes, the value's shared bytes, and a suffix such as
  /// `,"extensions":{"rev":42}}}`.
  public static func nextPrefix(id: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("id", id)
    writer.member("type", "next")
    writer.key("payload")
    writer.beginObject()
    writer.key("data")
    return writer.bytes
  }
}
