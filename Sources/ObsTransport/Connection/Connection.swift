import CWebsockets

/// How a connection ended.
public struct ConnectionClose: Sendable, Hashable {
  /// The code of the close frame; nil when there was none, because the connection broke or was cut.
  public var code: UInt16?
  /// The reason of the close frame, or what happened instead of one.
  public var reason: String
  /// Whether the peer began: by its close frame, or by vanishing.
  public var initiatedByPeer: Bool

  /// Describes an end.
  public init(code: UInt16?, reason: String, initiatedByPeer: Bool) {
    self.code = code
    self.reason = reason
    self.initiatedByPeer = initiatedByPeer
  }
}

/// What one whole message is.
public enum WebSocketMessage: Sendable, Hashable {
  /// UTF-8, validated.
  case text([UInt8])
  /// Any bytes.
  case binary([UInt8])
}

/// What became of a send.
public enum SendResult: Sendable, Hashable {
  /// The socket took everything, and has room for more.
  case sent
  /// Everything was taken, but nothing more may be sent until `writable` is called.
  case choked
  /// The connection is closing or gone; nothing was sent.
  case gone
}

/// Times of one server or client, in milliseconds.
struct ConnectionTiming {
  var pingInterval: UInt64
  var pongTimeout: UInt64
  var handshakeTimeout: UInt64
  var closeTimeout: UInt64

  /// How often connections have to be looked at, so that no time is missed by more than about an eighth.
  var sweepInterval: UInt64 {
    let shortest = min(min(pingInterval, pongTimeout), min(handshakeTimeout, closeTimeout))
    return min(max(shortest / 8, 10), 500)
  }
}

/// One WebSocket connection of either role: message assembly, raw sending, our close procedure, the dead-peer rule.
///
/// Loop thread only. Subclasses add the handshake of their role and tell their handlers.
///
///     handshaking → open → closing → ended
///
/// Data is sent in `open` only. `ended` comes with the library's CLOSED, whatever path led there (trap 10: callbacks that come
/// between are ignored by state).
class Connection {
  enum State { case handshaking, open, closing, ended }

  final let id: ConnectionID
  final let core: LoopCore
  final let timing: ConnectionTiming
  final var socket: Socket?
  final var state = State.handshaking
  /// A send was not taken whole; cleared when the library's buffer is empty.
  final var isChoked = false
  /// WRITEABLE was asked for without need.
  private final var wantsWritable = false
  final var isReadingPaused = false
  private final var assembler: MessageAssembler
  /// When this state must have ended, in milliseconds; 0 for never.
  final var deadline: UInt64
  private final var lastHeard: UInt64
  /// When we asked for a sign of life; 0 when we are not waiting for one.
  private final var askedAt: UInt64 = 0
  /// What the peer had acknowledged then; nil when nothing was waiting for it.
  private final var acknowledgedWhenAsked: UInt64?
  /// How the connection ends, once that is decided.
  final var ending: ConnectionClose?

  init(
    id: ConnectionID,
    core: LoopCore,
    timing: ConnectionTiming,
    maximumMessageBytes: Int,
    acceptsBinary: Bool
  ) {
    self.id = id
    self.core = core
    self.timing = timing
    assembler = MessageAssembler(
      maximumBytes: maximumMessageBytes,
      acceptsBinary: acceptsBinary
    )
    lastHeard = core.now
    deadline = core.now + timing.handshakeTimeout
    core.keepSweeping(every: timing.sweepInterval)
  }

  // MARK: for subclasses

  /// Handles a callback that is special to the role; the result goes back to the library.
  func roleEvent(
    _ socket: Socket,
    _ event: lws_callback_reasons,
    _ bytes: UnsafeRawBufferPointer
  ) -> Int32 { 0 }
  /// A whole message has arrived.
  func received(_ message: consuming WebSocketMessage) {}
  /// The socket has room again.
  func becameWritable() {}
  /// Payload bytes have arrived, of a whole message or not.
  func receivedBytes(_ count: Int) {}
  /// The connection is over; called once.
  func ended(_ close: ConnectionClose) {}
  /// The socket is destroyed and the number is free; called last.
  func removed() {}
  /// Adds headers to a client's handshake; the result says how many bytes of the room were used.
  func appendHeaders(_ room: UnsafeMutableRawBufferPointer) -> Int { 0 }
  /// The library's CLOSED.
  func libraryClosed() { receivedEnd() }
  /// The library's last word about a socket.
  func destroyed(_ socket: Socket) {
    receivedEnd()
    core.connections.remove(id)
    removed()
  }
  /// The handshake took too long.
  func handshakeTimedOut() { kill("the handshake took too long") }
  /// A peer's close code and reason as they were meant (trap 21, clients only).
  func interpret(code: UInt16?, reason: String) -> (UInt16?, String) { (code, reason) }
  final func count(sent bytes: Int) { counters?.sent(bytes) }
  var counters: TransportCounters? { nil }

  // MARK: events

  /// The handshake is complete.
  final func established() {
    state = .open
    deadline = 0
    lastHeard = core.now
    core.keepSweeping(every: timing.sweepInterval)
  }

  /// A piece of a message; the result goes back to the library.
  final func receivedPiece(_ socket: Socket, _ bytes: UnsafeRawBufferPointer) {
    heard()
    guard state == .open else { return }
    receivedBytes(bytes.count)
    let piece = MessageAssembler.Piece(
      isFirst: socket.isFirstFragment,
      isFinal: socket.isFinalFragment,
      isBinary: socket.isBinary,
      remaining: socket.remainingPayload
    )
    switch unsafe assembler.add(bytes, piece) {
    case .more: break
    case .message(let message): received(message)
    case .violation(let code, let reason): close(code: code, reason: reason)
    }
  }

  private final func heard() {
    lastHeard = core.now
    askedAt = 0
  }

  final func receivedPong() { heard() }

  /// The peer's close frame; the result goes back to the library: 0 lets it echo the frame and close.
  final func receivedClose(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    heard()
    guard state == .open else {
      // The answer to our own close frame: done.
      return -1
    }
    var code: UInt16?
    var reason = ""
    if bytes.count >= 2 {
      code = unsafe UInt16(bytes[0]) << 8 | UInt16(bytes[1])
      reason = unsafe String(decoding: unsafe bytes[2...], as: UTF8.self)
    }
    var text = UTF8Validator()
    guard
      unsafe bytes.count <= 2 || text.accept(unsafe UnsafeRawBufferPointer(rebasing: bytes[2...])),
      text.isComplete
    else {
      close(code: 1007, reason: "invalid UTF-8", initiatedByPeer: true)
      return -1
    }
    (code, reason) = interpret(code: code, reason: reason)
    ending = ConnectionClose(code: code, reason: reason, initiatedByPeer: true)
    state = .closing
    deadline = core.now + timing.closeTimeout
    return 0
  }

  /// The library can take bytes again.
  final func receivedWritable() {
    guard state == .open, isChoked || wantsWritable, let socket, !socket.isChoked else { return }
    isChoked = false
    wantsWritable = false
    becameWritable()
  }

  /// The library is done with the socket, on whatever path.
  final func receivedEnd() {
    socket = nil
    guard state != .ended else { return }
    state = .ended
    deadline = 0
    ended(
      ending ?? ConnectionClose(code: nil, reason: "connection lost", initiatedByPeer: true)
    )
  }

  // MARK: sending and ending

  /// Sends preframed bytes.
  final func send(_ frames: UnsafeRawBufferPointer) -> SendResult {
    guard state == .open, let socket else { return .gone }
    guard unsafe socket.write(frames) else {
      kill("the socket broke while writing")
      return .gone
    }
    count(sent: frames.count)
    // Only then does the library ask for WRITEABLE, by itself (trap 15: it costs two system calls each time).
    isChoked = socket.isChoked
    return isChoked ? .choked : .sent
  }

  /// Asks for ``becameWritable()`` behind the library's own control frames.
  final func askForWritable() {
    guard state == .open, let socket else { return }
    wantsWritable = true
    socket.askForWritable()
  }

  /// Our own close procedure: a close frame in order behind the data, then the peer's answer or a deadline.
  ///
  /// The library's own (`lws_close_reason` and -1) loses the frame on libuv (trap 2) and the code when output is buffered (trap 9).
  final func close(code: UInt16, reason: String, initiatedByPeer: Bool = false) {
    guard state == .open, let socket else { return }
    state = .closing
    ending = ConnectionClose(code: code, reason: reason, initiatedByPeer: initiatedByPeer)
    deadline = core.now + timing.closeTimeout
    let frame = closeFrame(code: code, reason: reason)
    let written = unsafe frame.withUnsafeBytes { bytes in unsafe socket.write(bytes) }
    guard written else { return kill(reason) }
    count(sent: frame.count)
    // The answer has to be read.
    if isReadingPaused { setReading(paused: false) }
  }

  /// The close frame as this role sends it.
  func closeFrame(code: UInt16, reason: String) -> [UInt8] {
    WebSocketFrame.close(code: code, reason: reason)
  }

  /// A ping as this role sends it.
  ///
  /// With a payload: the library does not report empty pongs.
  func pingFrame() -> [UInt8] {
    [0x89, 4, UInt8(ascii: "o"), UInt8(ascii: "b"), UInt8(ascii: "s"), UInt8(ascii: "?")]
  }

  /// Cuts the connection in the next pass.
  final func kill(_ why: String) {
    guard state != .ended else { return }
    state = .closing
    if ending == nil { ending = ConnectionClose(code: nil, reason: why, initiatedByPeer: false) }
    deadline = 0
    guard let socket else { return receivedEnd() }
    socket.killSoon()
    core.kick()
  }

  final func setReading(paused: Bool) {
    guard isReadingPaused != paused, let socket else { return }
    isReadingPaused = paused
    socket.setReading(!paused)
    if !paused {
      heard()
      // What was read before the pause waits for a service pass (trap 3).
      core.kick()
    }
  }

  // MARK: time

  /// Looks at the clock; called by the loop's coarse sweep.
  final func tick(_ now: UInt64) {
    switch state {
    case .handshaking:
      if deadline != 0, now >= deadline { handshakeTimedOut() }
    case .closing:
      if deadline != 0, now >= deadline { kill("the peer did not answer the close frame") }
    case .open:
      // While we do not read, the peer's signs of life stay in the kernel.
      if !isReadingPaused { watchForLife(now) }
    case .ended:
      break
    }
  }

  /// Asks for a pong after a silence, and ends the connection when nothing at all comes back.
  ///
  /// Anything received is a sign of life. So is progress in sending, if something was waiting: a slow reader answers a ping only when it
  /// has read what lies before it.
  private final func watchForLife(_ now: UInt64) {
    guard let socket else { return }
    if askedAt == 0 {
      guard now >= lastHeard + pingInterval else { return }
      askedAt = now
      let waits = isChoked || socket.unacknowledgedBytes > 0
      acknowledgedWhenAsked = waits ? socket.acknowledgedBytes : nil
      // Behind buffered bytes a ping could not be answered in time anyway.
      if !isChoked {
        let written = unsafe pingFrame().withUnsafeBytes { bytes in unsafe socket.write(bytes) }
        if !written { kill("the socket broke while writing") }
      }
    } else if now >= askedAt + timing.pongTimeout {
      if let acknowledgedWhenAsked, socket.acknowledgedBytes > acknowledgedWhenAsked {
        heard()
      } else {
        ending = ConnectionClose(
          code: nil,
          reason: "the peer did not answer a ping",
          initiatedByPeer: true
        )
        peerWasSilent()
        kill("the peer did not answer a ping")
      }
    }
  }

  /// Up to a quarter shorter than it was set, so that peers that came together are not all asked together.
  private final var pingInterval: UInt64 {
    timing.pingInterval - timing.pingInterval * UInt64(id.index & 15) / 64
  }

  /// The dead-peer rule is about to end this connection.
  func peerWasSilent() {}
}

extension LoopCore {
  /// Takes a callback from libwebsockets to the connection that it is about.
  func handle(
    _ socket: Socket,
    _ event: lws_callback_reasons,
    _ input: UnsafeMutableRawPointer?,
    _ count: Int
  ) -> Int32 {
    switch event {
    case LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE:
      unsafe connection(of: socket)?
        .receivedPiece(socket, UnsafeRawBufferPointer(start: input, count: count))
      return 0
    case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE:
      // Never anything but 0 (trap 2).
      connection(of: socket)?.receivedWritable()
      return 0
    case LWS_CALLBACK_RECEIVE_PONG, LWS_CALLBACK_CLIENT_RECEIVE_PONG:
      connection(of: socket)?.receivedPong()
      return 0
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      return unsafe connection(of: socket)?
        .receivedClose(UnsafeRawBufferPointer(start: input, count: count)) ?? -1
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_CONNECTED, LWS_CALLBACK_RAW_RX:
      // CONNECT would make a raw connection of an HTTP one (trap 26).
      return -1
    case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLIENT_CLOSED, LWS_CALLBACK_CLOSED_HTTP:
      connection(of: socket)?.libraryClosed()
      return 0
    case LWS_CALLBACK_WSI_DESTROY:
      connection(of: socket)?.destroyed(socket)
      return 0
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
      guard let connection = connection(of: socket), let input = unsafe input else { return -1 }
      let cursor = unsafe input.assumingMemoryBound(to: UnsafeMutableRawPointer.self)
      let room = unsafe UnsafeMutableRawBufferPointer(start: cursor.pointee, count: count)
      unsafe cursor.pointee += connection.appendHeaders(room)
      return 0
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
      if let id = connections.adopting {
        connections.adopting = nil
        socket.assign(id)
        connections[id]?.socket = socket
      }
      return 0
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_HTTP,
      LWS_CALLBACK_HTTP_BODY, LWS_CALLBACK_HTTP_WRITEABLE,
      LWS_CALLBACK_CLIENT_ESTABLISHED, LWS_CALLBACK_CLIENT_CONNECTION_ERROR,
      LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
      guard let connection = connection(of: socket) else { return -1 }
      return unsafe connection.roleEvent(
        socket,
        event,
        UnsafeRawBufferPointer(start: input, count: count)
      )
    default:
      // LWS_CALLBACK_EVENT_WAIT_CANCELLED is among these: a result other than 0 would close the library's wake pipe (trap 11).
      return 0
    }
  }

  private func connection(of socket: Socket) -> Connection? {
    guard let id = socket.id, let connection = connections[id],
      connection.socket == nil || connection.socket == socket
    else { return nil }
    return connection
  }
}
