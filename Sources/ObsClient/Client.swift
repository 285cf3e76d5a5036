public import ObsWire
internal import ObsTransport
internal import Synchronization

/// A client of one server: live values, events, calls and handles over one connection that mends itself.
///
/// Nothing needs to be connected by hand: the first operation connects, and what is subscribed is subscribed again after
/// each lost connection, with waits of 1 to 16 s ± 50 % between attempts (``Backoff``). It comes back for ever, except
/// after an answer that says that trying again is pointless; then every operation fails with that error, and the next
/// operation tries afresh.
///
/// Once connected it stays connected until ``disconnect()``, ``close()``, or the end of the last reference to the client,
/// its iterators and its handles. All clients of a process share one thread.
public final class Client: Sendable {
  /// The address that the client was made with.
  public let url: String
  let core: Result<Core, ClientError>
  let maximumBufferedEvents: Int
  private let lastWaiter = Atomic<UInt64>(0)
  @MainActor let handleRegistry = HandleRegistry()

  /// Makes a client; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - url: the server's address, `ws://host:port/ws` or `wss://…`.
  ///   - configuration: what differs from the defaults.
  public init(_ url: String, _ configuration: ClientConfiguration = ClientConfiguration()) {
    self.url = url
    maximumBufferedEvents = configuration.maximumBufferedEvents
    do throws(TransportError) {
      let loop = if let loop = configuration.loop { loop } else { try EventLoop.shared() }
      core = .success(Core(url, configuration, loop: loop))
    } catch {
      core = .failure(
        ClientError(.internal, "no event loop: \(error.message)", underlying: error)
      )
    }
  }

  deinit {
    if case .success(let core) = core { core.close() }
  }

  // MARK: The connection

  /// Connects, and returns when the server has greeted.
  ///
  /// Not needed before other operations. It makes an attempt at once, also when a wait between attempts is under way, so
  /// it is also how to say that the network is back.
  ///
  /// - Throws: why this attempt failed. What is subscribed goes on trying all the same.
  public func connect() async throws(ClientError) {
    let core = try core.get()
    let waiter = lastWaiter.wrappingAdd(1, ordering: .relaxed).newValue
    let pending = PendingConnect()
    let error = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pending.wait(continuation)
        core.connect(waiter) { pending.answer($0) }
      }
    } onCancel: {
      core.forgetWaiter(waiter)
      pending.answer(
        ClientError(.cancelled, "the task that waited for the connection was cancelled")
      )
    }
    if let error { throw error }
  }

  /// Lets go of the connection and keeps what is subscribed, as when an application goes to the background.
  ///
  /// The old socket delivers nothing more. Handles become stale, sequences wait, calls under way fail with
  /// `connection-lost` unless they carry a key. ``connect()``, or any new operation, takes everything up again.
  public func disconnect() async {
    guard case .success(let core) = core else { return }
    core.disconnect()
    await core.allClosed()
  }

  /// Ends everything for good, and returns when the socket is closed and no task is left.
  ///
  /// Sequences end, calls under way fail with `client-closed`, and so does whatever is asked afterwards.
  public func close() async {
    guard case .success(let core) = core else { return }
    core.close()
    await core.allClosed()
  }

  /// Where the connection stands now.
  public var state: ConnectionState {
    switch core {
    case .success(let core): core.board.state
    case .failure(let error): .failed(error)
    }
  }

  /// The connection's state now, and then each change; it ends after `closed`.
  ///
  /// Each use is a sequence of its own, for one reader. One that is 64 changes behind misses the oldest.
  public var states: AsyncStream<ConnectionState> {
    switch core {
    case .success(let core): core.board.follow()
    case .failure(let error):
      AsyncStream { continuation in
        continuation.yield(.failed(error))
        continuation.finish()
      }
    }
  }

  // MARK: Live values

  /// The values of a live query: the first at once, then the newest after each change.
  ///
  /// - Parameters:
  ///   - operation: the query's name on the server.
  ///   - arguments: what it is asked for; must encode to a JSON object.
  ///   - type: what a value is decoded as.
  /// - Returns: a sequence; each iteration of it is a subscription.
  public func values<Arguments: Encodable & Sendable, Value: Decodable & Sendable>(
    _ operation: String,
    _ arguments: Arguments,
    as type: Value.Type = Value.self
  ) -> Values<Value> {
    Values(frames: frames(operation, arguments, as: type))
  }

  /// The values of a live query without arguments.
  public func values<Value: Decodable & Sendable>(
    _ operation: String,
    as type: Value.Type = Value.self
  ) -> Values<Value> {
    values(operation, JSON.Object(), as: type)
  }

  /// The values of a live query, each with its rev and with how many were passed over.
  ///
  /// - Parameters:
  ///   - operation: the query's name on the server.
  ///   - arguments: what it is asked for; must encode to a JSON object.
  ///   - type: what a value is decoded as.
  /// - Returns: a sequence; each iteration of it is a subscription.
  public func frames<Arguments: Encodable & Sendable, Value: Decodable & Sendable>(
    _ operation: String,
    _ arguments: Arguments,
    as type: Value.Type = Value.self
  ) -> Frames<Value> {
    Frames(client: self, request: Request(operation, arguments))
  }

  /// The values of a live query without arguments, each with its rev and with how many were passed over.
  public func frames<Value: Decodable & Sendable>(
    _ operation: String,
    as type: Value.Type = Value.self
  ) -> Frames<Value> {
    frames(operation, JSON.Object(), as: type)
  }

  // MARK: Events

  /// The events of a stream, every one in order.
  ///
  /// - Parameters:
  ///   - operation: the stream's name on the server.
  ///   - arguments: what it is asked for; must encode to a JSON object.
  ///   - type: what an event is decoded as.
  /// - Returns: a sequence; each iteration of it is a subscription.
  public func events<Arguments: Encodable & Sendable, Value: Decodable & Sendable>(
    _ operation: String,
    _ arguments: Arguments,
    as type: Value.Type = Value.self
  ) -> Events<Value> {
    Events(numbered: NumberedEvents(client: self, request: Request(operation, arguments)))
  }

  /// The events of a stream without arguments.
  public func events<Value: Decodable & Sendable>(
    _ operation: String,
    as type: Value.Type = Value.self
  ) -> Events<Value> {
    events(operation, JSON.Object(), as: type)
  }

  // MARK: Calls

  /// Calls a command, or asks a query once, and returns the answer.
  ///
  /// A call made while there is no connection waits for one. If the connection is lost after the call was sent and before
  /// the answer came, nobody here knows whether it was done: it fails with `connection-lost`. With a `key` it is sent again
  /// instead, and the server does it once. Cancelling the task stops the waiting, not necessarily the work.
  ///
  /// - Parameters:
  ///   - operation: the command's name on the server.
  ///   - arguments: must encode to a JSON object.
  ///   - type: what the answer is decoded as.
  ///   - key: names this one request, at most 64 characters, so that it can be sent again without being done twice.
  /// - Returns: the answer.
  /// - Throws: the server's error; `connection-lost`, `cancelled`, `client-closed`; `bad-arguments` before anything is
  ///   sent; `bad-value` when the answer is of another type.
  public func call<Arguments: Encodable & Sendable, Answer: Decodable & Sendable>(
    _ operation: String,
    _ arguments: Arguments,
    as type: Answer.Type = Answer.self,
    key: String? = nil
  ) async throws(ClientError) -> Answer {
    let live = LiveOptions(once: true, key: key)
    return try await start(Request(operation, arguments, live: live), "`\(operation)`")
      .answer(as: type)
  }

  /// Calls a command without arguments, or asks a query once, and returns the answer.
  public func call<Answer: Decodable & Sendable>(
    _ operation: String,
    as type: Answer.Type = Answer.self,
    key: String? = nil
  ) async throws(ClientError) -> Answer {
    try await call(operation, JSON.Object(), as: type, key: key)
  }

  /// Calls a command, and returns when it is done, whatever it answers.
  public func call<Arguments: Encodable & Sendable>(
    _ operation: String,
    _ arguments: Arguments,
    key: String? = nil
  ) async throws(ClientError) {
    _ = try await call(operation, arguments, as: JSON.self, key: key)
  }

  /// Calls a command without arguments, and returns when it is done, whatever it answers.
  public func call(_ operation: String, key: String? = nil) async throws(ClientError) {
    try await call(operation, JSON.Object(), key: key)
  }

  /// What the server can do: its operations with their arguments, and its limits.
  public func describe() async throws(ClientError) -> JSON {
    try await call("$describe", as: JSON.self)
  }

  /// Starts a request that has one answer; those of one task are sent in the order in which they are started.
  func start(_ request: Request, _ name: String) throws(ClientError) -> StartedCall {
    let core = try core.get()
    let payload = try request.payload.get()
    // A server ends the whole connection for such a message.
    if let key = payload.live.key,
      !(1...LiveOptions.maximumKeyLength).contains(key.unicodeScalars.count)
    {
      throw ClientError(
        .badArguments,
        "a key has 1 to \(LiveOptions.maximumKeyLength) characters, not \(key.unicodeScalars.count)"
      )
    }
    if Task.isCancelled {
      throw ClientError(.cancelled, "the task was cancelled before it asked for \(name)")
    }
    let started = StartedCall(core: core, id: core.nextID(), call: PendingCall(), name: name)
    core.start(started.id, Operation(.call, payload), sink: started.call)
    return started
  }
}

/// One task that waits for a connection; the first answer counts.
private final class PendingConnect: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<ClientError?, Never>)
    case answered(ClientError?)
  }

  private let state = Mutex(State.idle)

  func wait(_ continuation: CheckedContinuation<ClientError?, Never>) {
    let answered: ClientError?? = state.withLock { state in
      guard case .answered(let error) = state else {
        state = .waiting(continuation)
        return nil
      }
      return .some(error)
    }
    if let answered { continuation.resume(returning: answered) }
  }

  func answer(_ error: ClientError?) {
    let waiting: CheckedContinuation<ClientError?, Never>? = state.withLock { state in
      defer { if case .answered = state {} else { state = .answered(error) } }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
    waiting?.resume(returning: error)
  }
}
