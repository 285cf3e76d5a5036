public import ObsTransport
import Synchronization

/// A handler that notes what a ``WebSocketServer`` tells, and reacts as a test wants it.
public final class RecordingHandler: WebSocketServerHandler {
  /// What happened.
  public enum Event: Sendable, Hashable {
    /// A connection is open.
    case opened(ConnectionID, UpgradeRequest)
    /// A text message.
    case text(ConnectionID, String)
    /// A binary message.
    case binary(ConnectionID, [UInt8])
    /// The socket has room again.
    case writable(ConnectionID)
    /// The connection is over.
    case closed(ConnectionID, ConnectionClose)
    /// A streamed answer has room again.
    case streamWritable(HTTPExchange)
    /// The client of an exchange has gone.
    case gone(HTTPExchange)
  }

  /// Everything, in order.
  public let events = Mailbox<Event>()
  private let server = Mutex<WebSocketServer?>(nil)
  private let onMessage: @Sendable (WebSocketServer, ConnectionID, WebSocketMessage) -> Void
  private let onExchange: @Sendable (HTTPExchange, HTTPRequest) -> Void
  private let onPassEnd: @Sendable (WebSocketServer) -> Void

  /// Makes a handler; its closures run on the thread of the loop.
  ///
  /// `onExchange` takes the place of `onRequest` where answers come later or in pieces.
  public init(
    onMessage: @escaping @Sendable (WebSocketServer, ConnectionID, WebSocketMessage) -> Void = {
      _,
      _,
      _ in
    },
    onRequest: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil },
    onExchange: (@Sendable (HTTPExchange, HTTPRequest) -> Void)? = nil,
    onPassEnd: @escaping @Sendable (WebSocketServer) -> Void = { _ in }
  ) {
    self.onMessage = onMessage
    self.onExchange =
      onExchange ?? { exchange, request in exchange.respond(onRequest(request)) }
    self.onPassEnd = onPassEnd
  }

  /// A handler that sends every message back.
  public static func echo() -> RecordingHandler {
    RecordingHandler(onMessage: { server, id, message in
      switch message {
      case .text(let bytes): server.send(id, WebSocketFrame.message(.text, bytes))
      case .binary(let bytes): server.send(id, WebSocketFrame.message(.binary, bytes))
      }
    })
  }

  func attach(_ server: WebSocketServer?) { self.server.withLock { $0 = server } }

  /// Notes it.
  public func opened(_ id: ConnectionID, _ request: UpgradeRequest) {
    events.post(.opened(id, request))
  }

  /// Notes it, and reacts.
  public func received(_ id: ConnectionID, _ message: consuming WebSocketMessage) {
    let message = message
    switch message {
    case .text(let bytes): events.post(.text(id, String(decoding: bytes, as: UTF8.self)))
    case .binary(let bytes): events.post(.binary(id, bytes))
    }
    if let server = server.withLock({ $0 }) { onMessage(server, id, message) }
  }

  /// Notes it.
  public func writable(_ id: ConnectionID) { events.post(.writable(id)) }

  /// Notes it.
  public func closed(_ id: ConnectionID, _ close: ConnectionClose) {
    events.post(.closed(id, close))
  }

  /// Reacts.
  public func passEnded() {
    if let server = server.withLock({ $0 }) { onPassEnd(server) }
  }

  /// Reacts.
  public func requested(_ exchange: HTTPExchange, _ request: HTTPRequest) {
    onExchange(exchange, request)
  }

  /// Notes it.
  public func writable(_ exchange: HTTPExchange) { events.post(.streamWritable(exchange)) }

  /// Notes it.
  public func gone(_ exchange: HTTPExchange) { events.post(.gone(exchange)) }

  /// Waits until a connection is open.
  public func nextOpened() async -> (ConnectionID, UpgradeRequest)? {
    while let event = await events.next() {
      if case .opened(let id, let request) = event { return (id, request) }
    }
    return nil
  }

  /// Waits until a connection is over.
  public func nextClosed() async -> (ConnectionID, ConnectionClose)? {
    while let event = await events.next() {
      if case .closed(let id, let close) = event { return (id, close) }
    }
    return nil
  }
}

/// A running server of a test.
public struct TransportServer: Sendable {
  /// The loop.
  public let loop: EventLoop
  /// The server.
  public let server: WebSocketServer
  /// The handler.
  public let handler: RecordingHandler
  /// The bound port.
  public let port: UInt16

  /// Runs something on the thread of the loop.
  public func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (WebSocketServer) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      loop.execute { [server] in continuation.resume(returning: body(server)) }
    }
  }

  /// How many connections there are.
  public var connectionCount: Int { get async { await onLoop { $0.connectionCount } } }
}

/// Runs a test against a server on a loop of its own, and stops both on every path.
public func withTransportServer<Value>(
  _ options: ListenOptions = ListenOptions(),
  handler: RecordingHandler = RecordingHandler(),
  _ body: (TransportServer) async throws -> Value
) async throws -> Value {
  let loop = try EventLoop(name: "test-loop")
  let server = WebSocketServer(on: loop, options, handler: handler)
  handler.attach(server)
  func end() async {
    await server.stop()
    await loop.stop()
    handler.attach(nil)
  }
  do {
    let port = try await server.start()
    let value = try await body(
      TransportServer(loop: loop, server: server, handler: handler, port: port)
    )
    await end()
    return value
  } catch {
    await end()
    throw error
  }
}

/// A client handler that notes what happens.
public final class RecordingClient: WebSocketClientHandler {
  /// What happened.
  public enum Event: Sendable, Hashable {
    /// The connection is open.
    case opened(String?)
    /// A text message.
    case text(String)
    /// A binary message.
    case binary([UInt8])
    /// The connection is over, or could not be made.
    case closed(ConnectionClose, TransportError?)
  }

  /// Everything, in order; finished after the end.
  public let events = Mailbox<Event>()

  /// Makes a handler.
  public init() {}

  /// Notes it.
  public func opened(subprotocol: String?) { events.post(.opened(subprotocol)) }

  /// Notes it.
  public func received(_ message: consuming WebSocketMessage) {
    switch message {
    case .text(let bytes): events.post(.text(String(decoding: bytes, as: UTF8.self)))
    case .binary(let bytes): events.post(.binary(bytes))
    }
  }

  /// Notes it.
  public func closed(_ close: ConnectionClose, _ error: TransportError?) {
    events.post(.closed(close, error))
    events.finish()
  }
}
