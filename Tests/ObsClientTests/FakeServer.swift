import ObsTransport
import ObsWire
import Synchronization

/// A server that does what a test tells it, over real sockets: it speaks the protocol's messages and knows no queries.
///
/// What clients do is told as events, which the test reads in order. Greetings are sent by themselves unless the test
/// takes them over.
final class FakeServer: WebSocketServerHandler {
  enum Event: Sendable {
    case opened(ConnectionID)
    case message(ConnectionID, ClientMessage)
    case closed(ConnectionID, ConnectionClose)
  }

  /// A `subscribe` as it came.
  struct Subscribe: Sendable {
    var connection: ConnectionID
    var id: String
    var payload: SubscribePayload
  }

  private struct State {
    var server: WebSocketServer?
    var epoch = "e1"
    /// How many connections more are cut as soon as they are open.
    var refusals = 0
    var greets = true
    var features: [String] = []
    var open: Set<ConnectionID> = []
    /// Messages for connections whose socket is full.
    var waiting: [ConnectionID: [[UInt8]]] = [:]
  }

  private let loop: EventLoop
  private let state = Mutex(State())
  private let incoming: AsyncStream<Event>.Continuation
  private let events: AsyncStream<Event>
  let url: String

  private init(loop: EventLoop) async throws {
    self.loop = loop
    (events, incoming) = AsyncStream.makeStream(of: Event.self)
    let relay = Relay()
    let server = WebSocketServer(on: loop, ListenOptions(), handler: relay)
    let port = try await server.start()
    url = "ws://127.0.0.1:\(port)/ws"
    state.withLock { $0.server = server }
    relay.target.withLock { $0 = self }
  }

  /// Runs a server for the time of the body, and ends it on every path.
  static func with<Result>(
    _ body: (FakeServer) async throws -> Result
  ) async throws -> Result {
    // A loop of its own, as every server has: servers of one loop would share the library's vhosts.
    let loop = try EventLoop(name: "fake-server")
    let fake = try await FakeServer(loop: loop)
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(fake)) } catch { result = .failure(error) }
    await fake.server?.stop()
    await loop.stop()
    return try result.get()
  }

  private var server: WebSocketServer? { state.withLock { $0.server } }

  // MARK: What the test tells it

  /// The epoch of greetings from now on.
  func setEpoch(_ epoch: String) { state.withLock { $0.epoch = epoch } }
  /// Cuts so many connections as soon as they are open.
  func refuse(next count: Int) { state.withLock { $0.refusals = count } }
  /// What greetings say that the server can do, from now on.
  func setFeatures(_ features: [String]) { state.withLock { $0.features = features } }
  /// Whether `connection_init` is answered by itself.
  func setGreets(_ greets: Bool) { state.withLock { $0.greets = greets } }

  func send(_ connection: ConnectionID, _ messages: ServerMessage...) {
    send(connection, messages)
  }

  func send(_ connection: ConnectionID, _ messages: [ServerMessage]) {
    loop.execute { [self] in
      for message in messages { write(connection, message.encoded) }
    }
  }

  func send(_ connection: ConnectionID, raw text: String) {
    loop.execute { [self] in write(connection, Array(text.utf8)) }
  }

  func next(_ subscribe: Subscribe, _ data: JSON, rev: Int64 = 1, more: Bool = false) {
    send(subscribe.connection, Self.next(subscribe.id, data, rev: rev, more: more))
  }

  static func next(
    _ id: String,
    _ data: JSON,
    rev: Int64 = 1,
    more: Bool = false
  ) -> ServerMessage {
    var extensions: JSON.Object = ["rev": .int(rev)]
    if more { extensions["more"] = true }
    return .next(id: id, payload: NextPayload(data: data, extensions: extensions))
  }

  func close(_ connection: ConnectionID, _ code: CloseCode) {
    loop.execute { [self] in
      server?.close(connection, code: code.rawValue, reason: code.defaultReason)
    }
  }

  /// Cuts a connection without a word.
  func kill(_ connection: ConnectionID) {
    loop.execute { [self] in server?.kill(connection) }
  }

  /// How many connections are open.
  var connectionCount: Int { state.withLock { $0.open.count } }

  // MARK: What the test waits for

  /// The next thing that any client did.
  func event() async throws -> Event {
    for await event in events { return event }
    throw Ended()
  }

  /// Returns after the next `connection_init`, and what was in it; what comes before it is passed over.
  @discardableResult
  func connectionInit() async throws -> JSON.Object {
    while true {
      if case .message(_, .connectionInit(let payload)) = try await event() { return payload }
    }
  }

  /// The next `subscribe`; what comes before it is passed over, unless it is a `complete`.
  func subscribe() async throws -> Subscribe {
    while true {
      switch try await event() {
      case .message(let connection, .subscribe(let id, let payload)):
        return Subscribe(connection: connection, id: id, payload: payload)
      case .message(_, .complete(let id)):
        throw Unexpected(what: "complete \(id)")
      case .opened, .message, .closed: continue
      }
    }
  }

  /// The next `subscribe`s, by operation name.
  func subscribes(_ count: Int) async throws -> [String: Subscribe] {
    var all: [String: Subscribe] = [:]
    for _ in 0..<count {
      let one = try await subscribe()
      all[one.payload.operationName ?? ""] = one
    }
    return all
  }

  /// The id of the next `complete`; what comes before it is passed over.
  func complete() async throws -> String {
    while true {
      if case .message(_, .complete(let id)) = try await event() { return id }
    }
  }

  /// The next end of a connection; what comes before it is passed over.
  func closed() async throws -> (ConnectionID, ConnectionClose) {
    while true {
      if case .closed(let connection, let close) = try await event() { return (connection, close) }
    }
  }

  struct Ended: Error {}
  struct Unexpected: Error { var what: String }

  // MARK: WebSocketServerHandler, on the loop's thread

  func opened(_ id: ConnectionID, _ request: UpgradeRequest) {
    incoming.yield(.opened(id))
    let isRefused = state.withLock { state in
      state.open.insert(id)
      guard state.refusals > 0 else { return false }
      state.refusals -= 1
      return true
    }
    if isRefused { server?.kill(id) }
  }

  func received(_ id: ConnectionID, _ message: consuming WebSocketMessage) {
    guard case .text(let bytes) = message,
      let message = try? ClientMessage(parsing: bytes, limits: .unlimited)
    else { return }
    if case .connectionInit = message {
      let (greets, epoch, features) = state.withLock { ($0.greets, $0.epoch, $0.features) }
      if greets {
        let ack = ServerMessage.connectionAck(payload: [
          "epoch": .string(epoch), "rev": 1, "features": .array(features.map { .string($0) }),
        ])
        write(id, ack.encoded)
      }
    }
    incoming.yield(.message(id, message))
  }

  func writable(_ id: ConnectionID) {
    let waiting = state.withLock { $0.waiting.removeValue(forKey: id) ?? [] }
    for text in waiting { write(id, text) }
  }

  private func write(_ id: ConnectionID, _ text: [UInt8]) {
    guard let server else { return }
    if server.isChoked(id) {
      state.withLock { $0.waiting[id, default: []].append(text) }
    } else {
      var frame: [UInt8] = []
      WebSocketFrame.appendHeader(to: &frame, opcode: .text, payloadLength: text.count)
      server.send(id, frame + text)
    }
  }

  func closed(_ id: ConnectionID, _ close: ConnectionClose) {
    state.withLock { state in
      state.open.remove(id)
      state.waiting[id] = nil
    }
    incoming.yield(.closed(id, close))
  }

  func passEnded() {}
}

/// Stands in for the server until it exists: the transport wants its handler first.
private final class Relay: WebSocketServerHandler {
  let target = Mutex<FakeServer?>(nil)

  private var server: FakeServer? { target.withLock { $0 } }

  func opened(_ id: ConnectionID, _ request: UpgradeRequest) { server?.opened(id, request) }
  func received(_ id: ConnectionID, _ message: consuming WebSocketMessage) {
    server?.received(id, message)
  }
  func writable(_ id: ConnectionID) { server?.writable(id) }
  func closed(_ id: ConnectionID, _ close: ConnectionClose) { server?.closed(id, close) }
  func passEnded() {}
}
