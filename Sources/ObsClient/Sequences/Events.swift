/// An event of a stream together with its place in it.
public struct NumberedEvent<Value> {
  /// What happened.
  public var value: Value
  /// The server's count of this stream's events on this connection.
  public var number: Int64?
  /// Whether the connection was lost since the event before, so that events may be missing between.
  public var isAfterGap: Bool
}

extension NumberedEvent: Sendable where Value: Sendable {}
extension NumberedEvent: Equatable where Value: Equatable {}

/// The events of a stream: every one, in order, or an error that says that some were lost.
///
/// Each iteration is a subscription of its own, from the moment when the iterator is made. Up to
/// ``ClientConfiguration/maximumBufferedEvents`` events wait for a slow reader; then the socket is no longer read, which
/// holds up everything on this connection, for at most ``ClientConfiguration/maximumPause``; then the sequence throws
/// `overflow`. The server does the same with its own buffer.
///
/// After a lost connection the stream goes on with the events of the new one. What happened between is lost;
/// ``numbered`` tells where.
public struct Events<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// What an event is.
  public typealias Element = Value
  /// What `next()` throws.
  public typealias Failure = ClientError

  /// The same events with their numbers, and with a mark where some may be missing.
  public let numbered: NumberedEvents<Value>

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator {
    Iterator(numbered: numbered.makeAsyncIterator())
  }

  /// Reads one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    var numbered: NumberedEvents<Value>.Iterator

    /// Waits for the next event.
    ///
    /// - Returns: the event; nil when the stream has ended, or when the task is cancelled.
    /// - Throws: `overflow` when events were lost because the reader was slow, or another reason why the stream is over.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Value? {
      try await numbered.next(isolation: actor)?.value
    }
  }
}

/// The events of a stream with their numbers; in all else as ``Events``.
public struct NumberedEvents<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// An event and its place.
  public typealias Element = NumberedEvent<Value>
  /// What `next()` throws.
  public typealias Failure = ClientError

  let client: Client
  let request: Request

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator {
    let queue = EventQueue(capacity: client.maximumBufferedEvents)
    return Iterator(subscription: Subscription(client, request, .stream, queue))
  }

  /// Reads one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<EventQueue>

    /// Waits for the next event.
    ///
    /// - Returns: the event; nil when the stream has ended, or when the task is cancelled.
    /// - Throws: `overflow` when events were lost because the reader was slow, or another reason why the stream is over.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> NumberedEvent<Value>? {
      guard let event = try await subscription.next(isolation: actor) else { return nil }
      return NumberedEvent(
        value: try event.reply.content.decoded(as: Value.self).get(),
        number: event.reply.event,
        isAfterGap: event.afterGap
      )
    }
  }
}
