/// One request and its answer, which may come later and in pieces.
///
/// A handler gets it with the request and answers once: by ``respond(_:)``, or by ``beginStream(_:)``, any number of ``write(_:)`` and
/// ``end()``. All calls belong on the thread of the loop. A handle may be kept for as long as anybody likes: when its client is gone,
/// which ``WebSocketServerHandler/gone(_:)`` tells, its calls do nothing.
public struct HTTPExchange: Sendable, Hashable {
  /// The connection that carries it, among others before and after.
  public let connection: ConnectionID
  /// Which request of the connection this is, counted from 1.
  let number: UInt64
  private let server: LoopBound<ServerCore>

  init(_ connection: ConnectionID, number: UInt64, _ server: LoopBound<ServerCore>) {
    self.connection = connection
    self.number = number
    self.server = server
  }

  /// Answers with a whole response; nil is 404.
  ///
  /// The body may be large: it is kept, and written as the client reads.
  public func respond(_ response: HTTPResponse?) { http?.respond(response) }

  /// Begins an answer that has no end yet, for example `text/event-stream`.
  ///
  /// The response gives status and headers; a body of its own is the first piece. Chunked for HTTP/1.1, until the end of the connection
  /// for HTTP/1.0; the connection ends with the answer in both cases. A stream counts as one of
  /// ``ListenOptions/maximumConnections``: when those are used up, the client gets 503 instead.
  ///
  /// - Returns: as ``write(_:)``; `gone` also for HEAD, which has got its headers and wants no more.
  @discardableResult
  public func beginStream(_ response: HTTPResponse) -> SendResult {
    http?.beginStream(response) ?? .gone
  }

  /// Writes a piece of a stream, in order.
  ///
  /// Never while it is choked. What the socket does not take is copied, so a piece should have at most about 64 KiB. After `choked`,
  /// ``WebSocketServerHandler/writable(_:)-(HTTPExchange)`` tells when the socket has room again: what changes until then is better
  /// replaced than queued.
  @discardableResult
  public func write(_ piece: [UInt8]) -> SendResult { http?.write(piece) ?? .gone }

  /// Ends a stream, behind what was written.
  public func end() { http?.end() }

  /// Cuts the connection without an end, so that the client notices that something is missing.
  public func cut() { http?.cut() }

  /// Whether a piece was not taken whole, and `writable` is still to come.
  public var isChoked: Bool { http?.isChoked ?? false }

  /// Whether the client still waits for the answer, or for the rest of it.
  public var isOpen: Bool { http?.isOpen ?? false }

  private var http: PlainHTTP? { server.value.http(of: self) }

  /// Whether both are the same request.
  public static func == (a: HTTPExchange, b: HTTPExchange) -> Bool {
    a.connection == b.connection && a.number == b.number
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(connection)
    hasher.combine(number)
  }
}
