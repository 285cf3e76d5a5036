/// A message from a client (PROTOCOL.md, messages).
public enum ClientMessage: Sendable, Hashable {
  /// The first message of a connection; ``ConnectionInit`` reads what is known of the payload.
  case connectionInit(payload: JSON.Object)
  /// Answered with a `pong` of the same payload.
  case ping(payload: JSON.Object?)
  /// The answer to a `ping`.
  case pong(payload: JSON.Object?)
  /// Starts an operation under a free id.
  case subscribe(id: String, payload: SubscribePayload)
  /// Ends an operation; an unknown id is fine, the two ends may cross.
  case complete(id: String)
}

extension ClientMessage {
  /// Reads a message; unknown members are ignored.
  ///
  /// - Parameters:
  ///   - bytes: the text of one WebSocket message.
  ///   - limits: the largest and deepest text that is accepted.
  /// - Throws: what to close the connection with: 4400, or 1009 over ``JSONLimits/maximumBytes``.
  public init(parsing bytes: [UInt8], limits: JSONLimits = .init()) throws(ProtocolViolation) {
    let message = try MessageEnvelope(parsing: bytes, limits: limits)
    switch message.type {
    case "connection_init":
      let payload = try message.members.optionalObject("payload") ?? [:]
      _ = try ConnectionInit(payload: payload)
      self = .connectionInit(payload: payload)
    case "ping":
      self = .ping(payload: try message.members.optionalObject("payload"))
    case "pong":
      self = .pong(payload: try message.members.optionalObject("payload"))
    case "subscribe":
      let id = try message.id()
      guard try message.members.optionalObject("payload") != nil else {
        throw message.members.missing("payload")
      }
      self = .subscribe(id: id, payload: try SubscribePayload(message.members.nested("payload")))
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
    case .connectionInit(let payload):
      writer.member("type", "connection_init")
      if !payload.isEmpty { writer.member("payload", payload) }
    case .ping(let payload):
      writer.member("type", "ping")
      if let payload { writer.member("payload", payload) }
    case .pong(let payload):
      writer.member("type", "pong")
      if let payload { writer.member("payload", payload) }
    case .subscribe(let id, let payload):
      writer.member("id", id)
      writer.member("type", "subscribe")
      writer.member("payload", payload)
    case .complete(let id):
      writer.member("id", id)
      writer.member("type", "complete")
    }
    writer.endObject()
    return writer.bytes
  }
}
