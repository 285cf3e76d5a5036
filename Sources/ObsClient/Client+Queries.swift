public import ObsWire

/// Queries as text: JMESPath over the server's document and models (PROTOCOL.md, "Language").
///
/// ```swift
/// for try await open in client.values(query: "length(values(issues)[?state == $s])", ["s": "open"], as: Int.self) { … }
/// let crash = try await client.value(query: "issues.i01.title", as: String.self)
/// ```
///
/// An error of the text says where: ``ClientError/location``, ``ClientError/offset``, ``ClientError/hint``.
extension Client {
  /// The values of a query: the first at once, then the newest after each change.
  ///
  /// - Parameters:
  ///   - query: the text.
  ///   - variables: the values of its variables, without `$`; must encode to a JSON object.
  ///   - type: what a value is decoded as.
  /// - Returns: a sequence; each iteration of it is a subscription.
  public func values<Variables: Encodable & Sendable, Value: Decodable & Sendable>(
    query: String,
    _ variables: Variables,
    as type: Value.Type = Value.self
  ) -> Values<Value> {
    Values(frames: frames(query: query, variables, as: type))
  }

  /// The values of a query, whose variables may be of several types: `["state": "open", "least": 3]`.
  public func values<Value: Decodable & Sendable>(
    query: String,
    _ variables: JSON.Object = [:],
    as type: Value.Type = Value.self
  ) -> Values<Value> {
    Values(frames: frames(query: query, variables, as: type))
  }

  /// The values of a query, each with rev and seq and with how many were passed over.
  ///
  /// - Parameters:
  ///   - query: the text.
  ///   - variables: the values of its variables, without `$`; must encode to a JSON object.
  ///   - type: what a value is decoded as.
  ///   - explain: whether each frame says in `extensions.explain` what the query read, what it cost and what caused the
  ///     value.
  /// - Returns: a sequence; each iteration of it is a subscription. The first frame's `extensions.warnings` tells what
  ///   is probably not meant.
  public func frames<Variables: Encodable & Sendable, Value: Decodable & Sendable>(
    query: String,
    _ variables: Variables,
    as type: Value.Type = Value.self,
    explain: Bool = false
  ) -> Frames<Value> {
    Frames(
      client: self,
      request: Request(query: query, variables, live: LiveOptions(explain: explain))
    )
  }

  /// The values of a query, whose variables may be of several types, each with rev and seq.
  public func frames<Value: Decodable & Sendable>(
    query: String,
    _ variables: JSON.Object = [:],
    as type: Value.Type = Value.self,
    explain: Bool = false
  ) -> Frames<Value> {
    Frames(
      client: self,
      request: Request(query: query, variables, live: LiveOptions(explain: explain))
    )
  }

  /// The value of a query now.
  ///
  /// - Parameters:
  ///   - query: the text.
  ///   - variables: the values of its variables, without `$`; must encode to a JSON object.
  ///   - type: what the value is decoded as.
  /// - Returns: the value.
  /// - Throws: the query's error, also one that the data may heal; `connection-lost`, `cancelled`, `client-closed`;
  ///   `bad-value` when the value is of another type.
  public func value<Variables: Encodable & Sendable, Value: Decodable & Sendable>(
    query: String,
    _ variables: Variables,
    as type: Value.Type = Value.self
  ) async throws(ClientError) -> Value {
    try await frame(Request(query: query, variables, live: LiveOptions(once: true))).value
  }

  /// The value of a query now, whose variables may be of several types.
  public func value<Value: Decodable & Sendable>(
    query: String,
    _ variables: JSON.Object = [:],
    as type: Value.Type = Value.self
  ) async throws(ClientError) -> Value {
    try await frame(query: query, variables, as: type).value
  }

  /// The value of a query now, with rev and seq.
  ///
  /// - Parameters:
  ///   - query: the text.
  ///   - variables: the values of its variables, without `$`.
  ///   - type: what the value is decoded as.
  /// - Returns: the value, and what the server says about it.
  /// - Throws: as ``value(query:_:as:)``.
  public func frame<Value: Decodable & Sendable>(
    query: String,
    _ variables: JSON.Object = [:],
    as type: Value.Type = Value.self
  ) async throws(ClientError) -> Frame<Value> {
    try await frame(Request(query: query, variables, live: LiveOptions(once: true)))
  }

  private func frame<Value: Decodable & Sendable>(
    _ request: Request
  ) async throws(ClientError) -> Frame<Value> {
    let reply = try await start(request, "a query").reply()
    do throws(ClientError) { return try Frame(reply) } catch {
      // Nothing follows that could heal it.
      var error = error
      error.mayHeal = false
      throw error
    }
  }

  /// The handle of a query, to observe: the same one for equal text and variables, as long as somebody holds it.
  ///
  /// It subscribes with the first ``Handle/retain()``, not before.
  @MainActor
  public func handle<Value: Decodable & Sendable>(
    forQuery text: String,
    _ variables: JSON.Object = [:],
    as type: Value.Type = Value.self
  ) -> Handle<TextQuery<Value>> {
    handle(for: TextQuery(text, variables))
  }
}
