public import ObsWire

/// A value of a live query together with what the server says about it.
public struct Frame<Value> {
  /// The query's result.
  public var value: Value
  /// The number of the turn whose state the value shows.
  ///
  /// It rises within an epoch; revs of two epochs cannot be compared.
  public var rev: Int64
  /// The life of the server process that the value comes from.
  public var epoch: String
  /// The place in the log of the last commit that the value contains; nil where there is no document.
  ///
  /// The same on every node and after a restart: what a commit takes as `ifSeq`.
  public var seq: Int64? { extensions["seq"]?.intValue }
  /// How many newer states were passed over since the last frame, at the server or here because the reader was slow.
  public var skipped: Int
  /// Whether another value of the same rev follows on this connection, so that one could wait and render once.
  public var more: Bool
  /// Whether the query was too expensive to be part of the cut of its rev, and comes later than the others.
  public var deferred: Bool
  /// All of `extensions`, for what has no name here.
  public var extensions: JSON.Object
}

extension Frame: Sendable where Value: Sendable {}
extension Frame: Equatable where Value: Equatable {}

/// The values of a live query, newest first: a reader that is slow skips, and always gets the last one.
///
/// Each iteration is a subscription of its own. It begins when the iterator is made, survives lost connections, and ends
/// when the query finishes, when the iterator is dropped, or when the task is cancelled. No two equal values come in a row,
/// also not when a new connection sends the same again.
///
/// `next()` throws the query's errors. Those that ``ClientError/mayHeal`` leave the subscription alive: calling `next()`
/// again waits for the value that follows. After any other error it returns nil.
public struct Values<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// What a value is.
  public typealias Element = Value
  /// What `next()` throws.
  public typealias Failure = ClientError

  /// The same values with rev and skips.
  public let frames: Frames<Value>

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator {
    Iterator(frames: frames.makeAsyncIterator())
  }

  /// Reads one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    var frames: Frames<Value>.Iterator

    /// Waits for a value that was not shown before.
    ///
    /// - Returns: the newest value; nil at the end, or when the task is cancelled.
    /// - Throws: the query's error, or why the connection will not come back.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Value? {
      try await frames.next(isolation: actor)?.value
    }
  }
}

/// The values of a live query with rev and skips; in all else as ``Values``.
public struct Frames<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// A value and what is known about it.
  public typealias Element = Frame<Value>
  /// What `next()` throws.
  public typealias Failure = ClientError

  let client: Client
  let request: Request

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: Subscription(client, request, .watch, NewestValue()))
  }

  /// Reads one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<NewestValue>

    /// Waits for a value that was not shown before.
    ///
    /// - Returns: the newest value; nil at the end, or when the task is cancelled.
    /// - Throws: the query's error, or why the connection will not come back.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Frame<Value>? {
      guard let reply = try await subscription.next(isolation: actor) else { return nil }
      return try Frame(reply)
    }
  }
}

extension Frame where Value: Decodable {
  init(_ reply: Reply) throws(ClientError) {
    self.init(
      value: try reply.content.decoded(as: Value.self).get(),
      rev: reply.rev,
      epoch: reply.epoch,
      skipped: reply.skipped,
      more: reply.more,
      deferred: reply.deferred,
      extensions: reply.extensions
    )
  }
}
