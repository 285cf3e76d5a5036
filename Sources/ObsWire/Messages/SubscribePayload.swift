/// What a `subscribe` asks for: `payload` of the message (PROTOCOL.md, messages).
///
///     {"query":"","operationName":"newest","variables":{"limit":5},"extensions":{"live":{"once":true}}}
public struct SubscribePayload: Sendable, Hashable {
  /// Query text or carrier document; empty when ``operationName`` names a registered operation.
  public var query: String

  /// The registered operation, when ``query`` is empty.
  public var operationName: String?

  /// The arguments.
  public var variables: JSON.Object

  /// How it is to be watched: `extensions.live`.
  public var live: LiveOptions

  /// Makes a payload; what is not given is empty.
  public init(
    query: String = "",
    operationName: String? = nil,
    variables: JSON.Object = [:],
    live: LiveOptions = .init()
  ) {
    self.query = query
    self.operationName = operationName
    self.variables = variables
    self.live = live
  }
}

/// How an operation is to be watched or written: `extensions.live` of a `subscribe`.
public struct LiveOptions: Sendable, Hashable {
  /// The most characters that an idempotency key may have.
  public static let maximumKeyLength = 64

  /// One value, then `complete`.
  public var once: Bool

  /// The least time between two values.
  ///
  /// On the wire in milliseconds; nil: the server's default.
  public var minInterval: Duration?

  /// Whether every value explains itself.
  public var explain: Bool

  /// The idempotency key of a write, 1 to 64 characters.
  public var key: String?

  /// Refuse the write if what it touches was changed after this place in the log.
  public var ifSeq: Int64?

  /// The digest of the value that the client has: if it is still the newest, the first `next` says so instead of sending it.
  public var since: String?

  /// Whether values carry their digest, for a later ``since``.
  public var resume: Bool

  /// Wait until the server has applied this place of the log.
  public var minSeq: Int64?

  /// Makes options; by default everything is off.
  public init(
    once: Bool = false,
    minInterval: Duration? = nil,
    explain: Bool = false,
    key: String? = nil,
    ifSeq: Int64? = nil,
    since: String? = nil,
    resume: Bool = false,
    minSeq: Int64? = nil
  ) {
    self.once = once
    self.minInterval = minInterval
    self.explain = explain
    self.key = key
    self.ifSeq = ifSeq
    self.since = since
    self.resume = resume
    self.minSeq = minSeq
  }
}

extension SubscribePayload {
  /// Reads a payload that stands by itself, as in the body of a POST (PROTOCOL.md, section 9).
  ///
  /// - Throws: a violation whose reason names the member that is wrong.
  public init(json: JSON) throws(ProtocolViolation) {
    guard case .object(let object) = json else {
      throw .badMessage("a payload must be an object, but is \(json.kind)")
    }
    var members = object
    // Bodies of GraphQL over HTTP may leave the text out.
    if members["query"] == nil { members["query"] = "" }
    try self.init(MemberReader(object: members, path: "", operation: nil))
  }

  init(_ members: MemberReader) throws(ProtocolViolation) {
    self.init(
      query: try members.string("query"),
      operationName: try members.optionalString("operationName"),
      variables: try members.optionalObject("variables") ?? [:],
      live: try LiveOptions(members.nested("extensions").nested("live"))
    )
  }
}

extension LiveOptions {
  init(_ members: MemberReader) throws(ProtocolViolation) {
    self.init(
      once: try members.flag("once"),
      minInterval: try members.optionalInteger("minInterval", atLeast: 0)
        .map { .milliseconds($0) },
      explain: try members.flag("explain"),
      key: try members.optionalString("key"),
      ifSeq: try members.optionalInteger("ifSeq", atLeast: 0),
      since: try members.optionalString("since"),
      resume: try members.flag("resume"),
      minSeq: try members.optionalInteger("minSeq", atLeast: 0)
    )
    if let key, !(1...Self.maximumKeyLength).contains(key.unicodeScalars.count) {
      throw .badMessage(
        "\(members.path).key must have 1 to \(Self.maximumKeyLength) characters",
        operation: members.operation
      )
    }
    if let since, !Digest.isDigest(since) {
      throw .badMessage(
        "\(members.path).since must be a digest, \(Digest.length) characters of base64url",
        operation: members.operation
      )
    }
  }
}

extension SubscribePayload: JSONWritable {
  /// Writes the payload; members that are empty or off are left out.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("query", query)
    if let operationName { writer.member("operationName", operationName) }
    if !variables.isEmpty { writer.member("variables", variables) }
    if live != LiveOptions() {
      writer.key("extensions")
      writer.beginObject()
      writer.member("live", live)
      writer.endObject()
    }
    writer.endObject()
  }
}

extension LiveOptions: JSONWritable {
  /// Writes the options; those that are off are left out.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if once { writer.member("once", true) }
    if let minInterval { writer.member("minInterval", minInterval.wholeMilliseconds) }
    if explain { writer.member("explain", true) }
    if let key { writer.member("key", key) }
    if let ifSeq { writer.member("ifSeq", ifSeq) }
    if let since { writer.member("since", since) }
    if resume { writer.member("resume", true) }
    if let minSeq { writer.member("minSeq", minSeq) }
    writer.endObject()
  }
}

extension Duration {
  /// Milliseconds, rounded up, so that what is asked for is never shorter than what was meant.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let millisecond: Int64 = 1_000_000_000_000_000
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let rest = (attoseconds + millisecond - 1) / millisecond
    return overflow || whole > .max - rest ? .max : whole + rest
  }
}
