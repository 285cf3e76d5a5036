/// How a client trusts a TLS server.
public enum TLSVerification: Sendable, Hashable {
  /// By the certificate authorities of the system.
  case system
  /// By the certificate authorities in a PEM file only.
  case caFile(String)
  /// Not at all: for tests.
  case insecure
}

/// Where and how a ``WebSocketClient`` connects.
public struct ConnectOptions: Sendable {
  /// `ws://host[:port]/path` or `wss://…`.
  public var url: String
  /// The subprotocol to offer; nil offers none.
  public var subprotocol: String? = "graphql-transport-ws"
  /// Further headers of the handshake, for example `Authorization`.
  public var headers: [(name: String, value: String)] = []
  /// How a server is trusted with `wss`.
  ///
  /// Default: the system's authorities.
  public var tls = TLSVerification.system
  /// The most payload bytes of one received message.
  ///
  /// Default 16 MiB.
  public var maximumMessageBytes = 16 << 20
  /// The most bytes that may wait to be sent; above, the connection ends with `sendBufferFull`.
  ///
  /// Default 16 MiB.
  public var maximumBufferedBytes = 16 << 20
  /// How long name lookup, connecting and handshake may take together.
  ///
  /// Default 10 s.
  public var connectTimeout: Duration = .seconds(10)
  /// The silence after which the server is asked for a pong.
  ///
  /// Default 30 s.
  public var pingInterval: Duration = .seconds(30)
  /// How long a server that was asked may stay silent before it counts as dead.
  ///
  /// Default 10 s.
  public var pongTimeout: Duration = .seconds(10)
  /// How long the server may take to answer a close frame.
  ///
  /// Default 2 s.
  public var closeTimeout: Duration = .seconds(2)

  /// The default options for a URL.
  public init(url: String) { self.url = url }

  var timing: ConnectionTiming {
    ConnectionTiming(
      pingInterval: pingInterval.milliseconds,
      pongTimeout: pongTimeout.milliseconds,
      handshakeTimeout: connectTimeout.milliseconds,
      closeTimeout: closeTimeout.milliseconds
    )
  }
}

/// What a ``WebSocketClient`` tells; every call comes on the thread of its loop.
public protocol WebSocketClientHandler: AnyObject, Sendable {
  /// The connection is open.
  func opened(subprotocol: String?)
  /// A whole message has arrived.
  func received(_ message: consuming WebSocketMessage)
  /// The connection is over, or could not be made; exactly once.
  ///
  /// - Parameters:
  ///   - close: the close frame, or a description of what happened instead.
  ///   - error: nil after an orderly close.
  func closed(_ close: ConnectionClose, _ error: TransportError?)
}

/// A WebSocket client connection on an ``EventLoop``.
public final class WebSocketClient: Sendable {
  private let loop: EventLoop
  /// Filled by the first thing that the loop does for this client.
  private let place: LoopBound<Place>

  private final class Place {
    var connection: ClientConnection?
  }

  private init(_ loop: EventLoop) {
    self.loop = loop
    place = LoopBound(loop.core, Place())
  }

  private func perform(_ body: @escaping @Sendable (ClientConnection) -> Void) {
    loop.execute { [place] in
      if let connection = place.value.connection { body(connection) }
    }
  }

  /// Begins to connect.
  ///
  /// From any thread; the outcome is told to the handler, in a later pass of the loop.
  ///
  /// - Parameters:
  ///   - loop: whose thread carries the connection.
  ///   - options: where and how.
  ///   - handler: kept until it was told the end.
  /// - Returns: the connection, to send on at once.
  public static func connect(
    on loop: EventLoop,
    _ options: ConnectOptions,
    handler: any WebSocketClientHandler
  ) -> WebSocketClient {
    let client = WebSocketClient(loop)
    loop.execute { [core = loop.core, place = client.place] in
      let connection = core.connections.insert {
        ClientConnection(id: $0, core: core, options: options, handler: handler)
      }
      place.value.connection = connection
      connection.begin()
    }
    return client
  }

  /// Sends a text message.
  ///
  /// From any thread; messages of one thread keep their order.
  ///
  /// Before the connection is open, and while the socket is full, messages wait, up to ``ConnectOptions/maximumBufferedBytes``. After the end
  /// they are dropped.
  public func send(text: [UInt8]) {
    perform { $0.send(.text, text) }
  }

  /// Sends a binary message; see ``send(text:)``.
  public func send(binary: [UInt8]) {
    perform { $0.send(.binary, binary) }
  }

  /// Ends the connection with a close frame behind what was sent.
  ///
  /// From any thread.
  public func close(code: UInt16 = 1000, reason: String = "") {
    perform { $0.closeInOrder(code: code, reason: reason) }
  }

  /// Cuts the connection.
  ///
  /// From any thread.
  public func kill() {
    perform { $0.kill("cut by the client") }
  }

  /// Stops reading: the server feels that as back pressure.
  ///
  /// From any thread.
  public func pauseReading() {
    perform { $0.setReading(paused: true) }
  }

  /// Reads again.
  ///
  /// From any thread.
  public func resumeReading() {
    perform { $0.setReading(paused: false) }
  }
}
