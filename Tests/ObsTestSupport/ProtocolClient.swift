public import ObsTransport
public import ObsWire
import Synchronization

/// A client that speaks the protocol message by message over a real socket: tests say what is sent
/// and read what comes, in order.
public final class ProtocolClient: WebSocketClientHandler, Sendable {
  /// How a connection ended.
  public struct Ended: Error, Sendable {
    /// The close frame, or what happened instead.
    public var close: ConnectionClose
    /// Nil after an orderly close.
    public var error: TransportError?
  }

  private let incoming: AsyncThrowingStream<ServerMessage, any Error>
  private let feed: AsyncThrowingStream<ServerMessage, any Error>.Continuation
  private let reader: MessageReader
  private let socket = Mutex<WebSocketClient?>(nil)

  private init() {
    (incoming, feed) = AsyncThrowingStream.makeStream()
    reader = MessageReader(incoming)
  }

  /// Connects; `initialize` also sends `connection_init` and waits for the ack.
  public static func connect(
    _ url: String,
    payload: JSON.Object = [:],
    initialize: Bool = true,
    headers: [(name: String, value: String)] = [],
    tls: TLSVerification = .system
  ) async throws -> ProtocolClient {
    let client = ProtocolClient()
    var options = ConnectOptions(url: url)
    options.headers = headers
    options.tls = tls
    let socket = WebSocketClient.connect(on: try EventLoop.shared(), options, handler: client)
    client.socket.withLock { $0 = socket }
    guard initialize else { return client }
    client.send(.connectionInit(payload: payload))
    guard case .connectionAck = try await client.next() else { throw UnexpectedMessage() }
    return client
  }

  // MARK: Sending

  /// Sends a message.
  public func send(_ message: ClientMessage) { send(text: message.encoded) }

  /// Sends any text.
  public func send(text: [UInt8]) { socket.withLock { $0 }?.send(text: text) }

  /// Sends a binary message.
  public func send(binary: [UInt8]) { socket.withLock { $0 }?.send(binary: binary) }

  /// Starts an operation.
  public func subscribe(
    _ id: String,
    _ operation: String,
    _ arguments: JSON.Object = [:],
    live: LiveOptions = LiveOptions()
  ) {
    send(
      .subscribe(
        id: id,
        payload: SubscribePayload(operationName: operation, variables: arguments, live: live)
      )
    )
  }

  /// Sends a query's text: of the language, or a carrier document.
  public func watch(
    _ id: String,
    _ text: String,
    _ variables: JSON.Object = [:],
    live: LiveOptions = LiveOptions()
  ) {
    send(
      .subscribe(id: id, payload: SubscribePayload(query: text, variables: variables, live: live))
    )
  }

  /// Reads until `id` ends with errors; returns the first.
  public func failure(_ id: String) async throws -> WireError {
    while true {
      let message = try await next()
      if case .error(id, let errors) = message, let error = errors.first { return error }
      if case .complete(id) = message { throw UnexpectedMessage(got: message) }
    }
  }

  /// Applies a JSON Patch; returns the answer, and the messages that came before it.
  @discardableResult
  public func patch(
    _ operations: JSON,
    id: String = "patch",
    live: LiveOptions = LiveOptions()
  ) async throws -> (answer: NextPayload, before: [ServerMessage]) {
    try await call("$patch", ["ops": operations], id: id, live: live)
  }

  /// Ends an operation.
  public func complete(_ id: String) { send(.complete(id: id)) }

  /// Closes in order.
  public func close() { socket.withLock { $0 }?.close() }
  /// Drops the connection.
  public func kill() { socket.withLock { $0 }?.kill() }
  /// Stops reading from the socket.
  public func pauseReading() { socket.withLock { $0 }?.pauseReading() }
  /// Reads from the socket again.
  public func resumeReading() { socket.withLock { $0 }?.resumeReading() }

  // MARK: Receiving

  /// The next message; throws ``Ended`` when the connection ends.
  public func next() async throws -> ServerMessage { try await reader.next() }

  /// The next message, which must be a value of `id`.
  public func value(_ id: String) async throws -> NextPayload {
    let message = try await next()
    guard case .next(id, let payload) = message else {
      throw UnexpectedMessage(got: message)
    }
    return payload
  }

  /// Reads until a value of `id` is `expected`; returns how many values of it came.
  @discardableResult
  public func until(_ id: String, _ expected: JSON) async throws -> Int {
    var count = 0
    while true {
      guard case .next(let of, let payload) = try await next(), of == id else { continue }
      count += 1
      if payload.data == expected { return count }
    }
  }

  /// Calls a command and returns its answer; other messages that come before it are returned, too.
  public func call(
    _ operation: String,
    _ arguments: JSON.Object = [:],
    id: String = "call",
    live: LiveOptions = LiveOptions()
  ) async throws -> (answer: NextPayload, before: [ServerMessage]) {
    subscribe(id, operation, arguments, live: live)
    var before: [ServerMessage] = []
    while true {
      let message = try await next()
      switch message {
      case .next(id, let payload):
        guard case .complete(id) = try await next() else { throw UnexpectedMessage(got: message) }
        return (payload, before)
      case .error(id, let errors):
        throw errors.first ?? WireError(.internal, "empty error list")
      default: before.append(message)
      }
    }
  }

  /// Waits for the end of the connection.
  public func ended() async throws -> ConnectionClose {
    do {
      while true { _ = try await next() }
    } catch let ended as Ended {
      return ended.close
    }
  }

  // MARK: WebSocketClientHandler

  /// The connection is open.
  public func opened(subprotocol: String?) {}

  /// A message has arrived.
  public func received(_ message: consuming WebSocketMessage) {
    guard case .text(let text) = message else { return }
    do {
      feed.yield(try ServerMessage(parsing: text, limits: .unlimited))
    } catch {
      feed.finish(throwing: error)
    }
  }

  /// The connection is over.
  public func closed(_ close: ConnectionClose, _ error: TransportError?) {
    feed.finish(throwing: Ended(close: close, error: error))
  }
}

/// A message that the test did not expect.
public struct UnexpectedMessage: Error, Sendable {
  /// The message; nil if the connection ended in order.
  public var got: ServerMessage?

  /// Names the message.
  public init(got: ServerMessage? = nil) { self.got = got }
}

/// One reader of the incoming messages; the test is sequential, the actor only makes it safe.
private actor MessageReader {
  private var iterator: AsyncThrowingStream<ServerMessage, any Error>.Iterator

  init(_ stream: AsyncThrowingStream<ServerMessage, any Error>) {
    iterator = stream.makeAsyncIterator()
  }

  func next() async throws -> ServerMessage {
    var copy = iterator
    defer { iterator = copy }
    guard let message = try await copy.next(isolation: self) else { throw UnexpectedMessage() }
    return message
  }
}
