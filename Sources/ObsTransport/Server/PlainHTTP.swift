import CWebsockets

/// The plain HTTP of one connection: requests one after the other, each answered before the next is looked at.
///
/// Loop thread only. The library has parsed the headers of the first request, and takes all that follows for the endless body of it
/// (``LWSHost/adoptHTTP(_:as:)``); here it becomes bodies and further requests.
///
///     head → body → waiting → writing → head …
///                           → streaming → lingering
final class PlainHTTP {
  private enum Phase {
    /// A head, or nothing yet, has arrived.
    case head
    case body(HTTPRequest, HTTPBodyReader)
    /// The handler has the request.
    case waiting
    case writing
    case streaming
    /// The last answer is written; what still arrives is dropped until the client closes.
    case lingering
  }

  private unowned let connection: ServerConnection
  private var server: ServerCore { connection.server }
  private var options: ListenOptions { connection.server.options }
  private var phase = Phase.head
  private var input = HTTPInput()
  private var isAdvancing = false
  /// The number of the exchange that is under way, or was the last.
  private var number: UInt64 = 0
  private var isHEAD = false
  private var isHTTP10 = false
  private var closes = false
  /// The answer, as far as the library has not taken it.
  private var output: ArraySlice<UInt8> = []
  private(set) var isChoked = false
  /// What the client had acknowledged when its time to read on began.
  private var acknowledged: UInt64 = 0

  /// The most bytes of a head that we parse; the library has the same limit.
  private static let maximumHead = 8192
  /// The most bytes that wait behind a request that is not answered yet.
  private static let maximumWaiting = 65536
  /// The most bytes that the library is given at once.
  private static let piece = 65536
  /// The most bytes that one connection writes before others get their turn.
  private static let bytesPerPass = 1 << 20

  init(_ connection: ServerConnection) { self.connection = connection }

  /// Whether an answer without an end is under way.
  var isStreaming: Bool {
    if case .streaming = phase { true } else { false }
  }

  // MARK: requests

  /// The first request, whose headers the library has parsed.
  func begin(_ socket: Socket) {
    advance {
      do throws(HTTPFault) {
        try self.begin(HTTPHead(socket))
      } catch {
        self.refuse(error)
      }
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    switch phase {
    case .head, .body:
      unsafe input.append(bytes)
      advance {}
    case .waiting, .writing:
      unsafe input.append(bytes)
      boundInput()
    case .streaming, .lingering: break
    }
  }

  /// Goes on as far as the input goes.
  private func advance(_ first: () -> Void) {
    guard !isAdvancing else { return }
    isAdvancing = true
    first()
    while step() {}
    isAdvancing = false
    boundInput()
  }

  /// True when there may be more to do.
  private func step() -> Bool {
    do throws(HTTPFault) {
      switch phase {
      case .head:
        guard let lines = try input.head(limit: Self.maximumHead) else { return false }
        isHEAD = false
        let head = try HTTPHead(lines: lines)
        if head.isUpgrade, !isChoked, connection.handOver(lines, input) {
          phase = .lingering
          return false
        }
        try begin(head)
        return true
      case .body(let request, var reader):
        let isComplete = try reader.read(&input)
        guard isComplete else {
          phase = .body(request, reader)
          return false
        }
        var request = request
        request.body = reader.body
        deliver(request)
        return true
      case .waiting, .writing, .streaming, .lingering: return false
      }
    } catch {
      refuse(error)
      return false
    }
  }

  private func begin(_ head: HTTPHead) throws(HTTPFault) {
    number += 1
    isHEAD = head.method == "HEAD"
    isHTTP10 = head.isHTTP10
    // Under TLS an upgrade needs a connection of its own.
    closes = head.closes || head.isUpgrade
    let target = try HTTPTarget(head.target)
    let framing = try head.body(limit: options.maximumBodyBytes)
    var request = HTTPRequest(
      method: head.method,
      path: target.path,
      query: target.query,
      parameters: target.parameters,
      headers: head.headers,
      remoteAddress: connection.socket?.peerAddress
    )
    request.rawPath = target.rawPath
    phase = .body(request, HTTPBodyReader(framing, limit: options.maximumBodyBytes))
    guard framing != .none else { return }
    connection.deadline = connection.core.now + options.bodyTimeout.milliseconds
    if head.expectsContinue, input.isEmpty {
      send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
    }
  }

  private func deliver(_ request: HTTPRequest) {
    phase = .waiting
    connection.deadline = connection.core.now + options.answerTimeout.milliseconds
    server.counters.answeredRequest()
    guard request.path != options.path else {
      return respond(
        .text(
          426,
          "This is a WebSocket endpoint (subprotocol \(options.subprotocol)); "
            + "connect to it with a WebSocket client.",
          headers: [("Upgrade", "websocket"), ("Connection", "Upgrade")]
        )
      )
    }
    notFound = "nothing is at \(request.path); the WebSocket is at \(options.path)"
    server.handler?.requested(exchange, request)
  }
  private var notFound = ""

  private var exchange: HTTPExchange { HTTPExchange(connection.id, number: number, server.bound) }

  func carries(_ exchange: HTTPExchange) -> Bool { exchange.number == number }

  /// Answers what no handler needs to see; what follows cannot be trusted any more.
  private func refuse(_ fault: HTTPFault) {
    closes = true
    phase = .waiting
    input.removeAll()
    respond(.text(fault.status, fault.text))
  }

  /// A client that sends ahead of the answers waits, or is cut when it does not even read them.
  private func boundInput() {
    guard input.count > Self.maximumWaiting else { return }
    switch phase {
    case .waiting: connection.setReading(paused: true)
    // With reading paused the library would not write either (trap 33).
    case .writing: connection.kill("requests were sent ahead of unread answers")
    case .head, .body, .streaming, .lingering: break
    }
  }

  // MARK: answers

  var isOpen: Bool {
    switch phase {
    case .waiting, .streaming: true
    case .head, .body, .writing, .lingering: false
    }
  }

  func respond(_ response: HTTPResponse?) {
    guard case .waiting = phase else { return }
    let response = response ?? .text(404, notFound)
    connection.setReading(paused: false)
    phase = .writing
    closes = closes || !server.isListening
    output = response.encoded(forHEAD: isHEAD, closes: closes)[...]
    pump()
  }

  func beginStream(_ response: HTTPResponse) -> SendResult {
    guard case .waiting = phase else { return .gone }
    closes = true
    guard !server.isFull else {
      server.counters.refused(.full)
      respond(
        .text(503, "too many connections, please try again", headers: [("Retry-After", "5")])
      )
      return .gone
    }
    connection.setReading(paused: false)
    input.removeAll()
    send(response.encodedStreamHead(forHTTP10: isHTTP10)[...])
    guard !isHEAD else {
      finish()
      return .gone
    }
    phase = .streaming
    connection.deadline = 0
    connection.socket?.giveUp(
      afterMilliseconds: connection.timing.pingInterval + connection.timing.pongTimeout
    )
    server.streamOpened()
    return response.body.isEmpty ? streamResult() : write(response.body)
  }

  func write(_ piece: [UInt8]) -> SendResult {
    guard case .streaming = phase else { return .gone }
    // A chunk of no bytes would be the end.
    if !piece.isEmpty { send(isHTTP10 ? piece[...] : Self.chunk(piece)[...]) }
    return streamResult()
  }

  private func streamResult() -> SendResult {
    guard connection.state == .handshaking, connection.socket != nil else { return .gone }
    if isChoked, connection.deadline == 0 { expectProgress() }
    return isChoked ? .choked : .sent
  }

  func end() {
    guard case .streaming = phase else { return }
    server.streamClosed()
    sendStreamEnd()
    finish()
  }

  func cut() {
    guard isOpen else { return }
    connection.kill("cut by the server")
  }

  private func sendStreamEnd() { if !isHTTP10 { send(Array("0\r\n\r\n".utf8)[...]) } }

  private static func chunk(_ piece: [UInt8]) -> [UInt8] {
    var chunk = Array((String(piece.count, radix: 16) + "\r\n").utf8)
    chunk.reserveCapacity(chunk.count + piece.count + 2)
    chunk += piece
    chunk += [13, 10]
    return chunk
  }

  // MARK: writing

  private func send(_ bytes: ArraySlice<UInt8>) {
    guard let socket = connection.socket, connection.state == .handshaking else { return }
    let written = unsafe bytes.withUnsafeBytes { unsafe socket.write($0) }
    guard written else { return connection.kill("the socket broke while writing") }
    isChoked = socket.isChoked
  }

  /// Hands the library what it takes without keeping much of it.
  private func pump() {
    var budget = Self.bytesPerPass
    while !output.isEmpty, !isChoked, connection.state == .handshaking {
      guard budget > 0 else {
        connection.socket?.askForWritable()
        break
      }
      let next = output.prefix(Self.piece)
      output = output.dropFirst(next.count)
      budget -= next.count
      send(next)
    }
    if output.isEmpty { finish() } else { expectProgress() }
  }

  /// WRITEABLE: what the library had kept is sent.
  func writable() {
    guard let socket = connection.socket, !socket.isChoked else { return }
    isChoked = false
    switch phase {
    case .writing: pump()
    case .streaming:
      guard connection.deadline != 0 else { return }
      connection.deadline = 0
      server.handler?.writable(exchange)
    case .lingering: linger()
    case .head, .body, .waiting: break
    }
  }

  /// The answer is with the library.
  private func finish() {
    output = []
    guard closes else {
      phase = .head
      connection.deadline = connection.core.now + connection.timing.handshakeTimeout
      return advance {}
    }
    phase = .lingering
    if isChoked { expectProgress() } else { linger() }
  }

  /// Ends our direction and waits for the client's end: closing with its bytes unread would be a reset, which may overtake the answer.
  private func linger() {
    guard let socket = connection.socket else { return }
    connection.deadline = connection.core.now + connection.timing.closeTimeout
    // Under TLS the client takes `Connection: close` as its cue.
    if options.tls == nil { socket.finishSending() }
  }

  // MARK: time and end

  private func expectProgress() {
    connection.deadline =
      connection.core.now + connection.timing.pingInterval + connection.timing.pongTimeout
    acknowledged = connection.socket?.acknowledgedBytes ?? 0
  }

  /// The deadline of the connection has passed.
  func timedOut() {
    switch phase {
    case .head: connection.kill("no request came")
    case .body: refuse(HTTPFault(408, "the body of the request took too long"))
    case .waiting:
      let late = exchange
      closes = true
      respond(.text(503, "no answer was found in time", headers: [("Retry-After", "5")]))
      server.handler?.gone(late)
    case .writing, .streaming, .lingering:
      // A lingering client had its time, unless it still reads.
      let isReading = isChoked || !output.isEmpty
      guard isReading, let socket = connection.socket, socket.acknowledgedBytes > acknowledged
      else { return connection.kill("the client does not read") }
      expectProgress()
    }
  }

  /// The server stops: says what can be said at once.
  func stop() {
    switch phase {
    case .waiting where !isChoked:
      closes = true
      let late = exchange
      respond(.text(503, "the server stops", headers: [("Retry-After", "5")]))
      server.handler?.gone(late)
    case .streaming where !isChoked: sendStreamEnd()
    case .head, .body, .waiting, .writing, .streaming, .lingering: break
    }
  }

  /// The connection is over.
  func connectionEnded() {
    let wasOpen = isOpen
    if case .streaming = phase { server.streamClosed() }
    phase = .lingering
    output = []
    if wasOpen { server.handler?.gone(exchange) }
  }
}
