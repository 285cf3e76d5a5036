import CWebsockets
import Glibc

/// How requests get past the library's HTTP parser unharmed.
///
/// It decodes and rewrites targets beyond recognition (trap 29), knows no chunks (trap 30) and, while an answer is awaited, neither reads
/// nor rests (trap 31). So it is shown a request line of ours, before the first byte of the client's:
///
///     POST / HTTP/1.1
///     Content-Length: 1000000000000000
///     x-obs-line: GET /data/a%2Fb//c HTTP/1.1
///     Host: …
///
/// The client's request line thus becomes the value of a header, which is kept as it is; the other headers are the library's to parse, which it
/// needs for upgrades. Without an upgrade, everything behind them is one endless body, whose bytes ``PlainHTTP`` gets as they come.
extension LWSHost {
  fileprivate static let line = "x-obs-line:"
  fileprivate static let length = "1000000000000000"

  /// Hands an accepted socket to the library; it closes the socket in any case.
  ///
  /// `early` are bytes that were read from it before. The callbacks find the connection from the first on
  /// (``ConnectionTable/adopting``).
  func adoptHTTP(_ socket: Int32, early: ArraySlice<UInt8> = []) -> OpaquePointer? {
    let prefix = Array("POST / HTTP/1.1\r\nContent-Length: \(Self.length)\r\n\(Self.line) ".utf8)
    return unsafe (prefix + early).withUnsafeBytes { bytes in
      unsafe lws_adopt_socket_vhost_readbuf(
        pointer,
        socket,
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        bytes.count
      )
    }
  }
}

extension HTTPHead {
  /// Reads the first request of a connection, as the library has parsed it.
  init(_ socket: Socket) throws(HTTPFault) {
    var headers: [String: String] = [:]
    for (name, token) in Self.tokens {
      if let value = socket.header(token) { headers[name] = value }
    }
    for name in Self.customHeaders {
      if let value = socket.customHeader(name + ":") {
        headers[name] = String(decoding: value, as: UTF8.self)
      }
    }
    let lengths = Self.members(headers["content-length"] ?? "").dropFirst()
    headers["content-length"] = lengths.isEmpty ? nil : lengths.joined(separator: ", ")
    try self.init(line: socket.requestLine[...], headers: headers)
  }

  private static let tokens: [(String, lws_token_indexes)] = [
    ("host", WSI_TOKEN_HOST), ("accept", WSI_TOKEN_HTTP_ACCEPT),
    ("authorization", WSI_TOKEN_HTTP_AUTHORIZATION), ("connection", WSI_TOKEN_CONNECTION),
    ("content-type", WSI_TOKEN_HTTP_CONTENT_TYPE),
    ("content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH),
    ("transfer-encoding", WSI_TOKEN_HTTP_TRANSFER_ENCODING),
    ("content-encoding", WSI_TOKEN_HTTP_CONTENT_ENCODING), ("expect", WSI_TOKEN_HTTP_EXPECT),
    ("cookie", WSI_TOKEN_HTTP_COOKIE), ("user-agent", WSI_TOKEN_HTTP_USER_AGENT),
    ("origin", WSI_TOKEN_ORIGIN), ("if-match", WSI_TOKEN_HTTP_IF_MATCH),
    ("if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH),
    ("x-forwarded-for", WSI_TOKEN_X_FORWARDED_FOR),
  ]
  private static let customHeaders = [
    "x-request-id", "idempotency-key", "last-event-id", "sec-fetch-site",
  ]
}

extension Socket {
  /// The request line of the first request, exactly as it was sent.
  var requestLine: [UInt8] { customHeader(LWSHost.line) ?? [] }

  /// Lets the connection carry a number, which callbacks are found by.
  func assign(_ id: ConnectionID) { unsafe lws_set_opaque_user_data(wsi, id.pointer) }

  /// Ends the library's own time limit, which it sets with every piece of a body (trap 32).
  func clearTimeout() { unsafe lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0) }

  /// Ends our direction of a plaintext connection.
  func finishSending() { _ = unsafe shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR)) }

  /// Ends the connection when its peer acknowledges nothing for a time, although there is something (`TCP_USER_TIMEOUT`).
  ///
  /// Streams have no pings; without this, a peer that vanished keeps its stream for a quarter of an hour.
  func giveUp(afterMilliseconds time: UInt64) {
    var time = UInt32(clamping: time)
    let size = socklen_t(MemoryLayout<UInt32>.size)
    // TCP_USER_TIMEOUT of linux/tcp.h.
    unsafe setsockopt(lws_get_socket_fd(wsi), Int32(IPPROTO_TCP), 18, &time, size)
  }

  /// A second file for the same connection, which outlives this socket.
  func duplicate() -> Int32? {
    let file = unsafe fcntl(lws_get_socket_fd(wsi), F_DUPFD_CLOEXEC, 0)
    return file >= 0 ? file : nil
  }
}
