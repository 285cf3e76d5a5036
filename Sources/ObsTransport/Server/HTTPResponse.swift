/// The answer to an ``HTTPRequest``.
public struct HTTPResponse: Sendable {
  /// The status, for example 200.
  public var status: Int
  /// The value of `Content-Type`.
  public var contentType: String
  /// Further headers; `Content-Length` and `Connection` are added.
  public var headers: [(name: String, value: String)]
  /// The body; left out of the answer to HEAD.
  public var body: [UInt8]

  /// Makes a response.
  public init(
    status: Int,
    contentType: String = "text/plain; charset=utf-8",
    headers: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) {
    self.status = status
    self.contentType = contentType
    self.headers = headers
    self.body = body
  }

  /// A response of plain text, with a line break at its end.
  public static func text(
    _ status: Int,
    _ text: String,
    headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: Array((text + "\n").utf8))
  }

  /// The bytes of the whole response.
  func encoded(forHEAD: Bool, closes: Bool) -> [UInt8] {
    // These have no body, and 204 may not even announce one (RFC 9110 section 8.6).
    guard status != 204, status != 304 else { return head([], closes: closes) }
    let head = head(
      [("Content-Type", contentType), ("Content-Length", "\(body.count)")],
      closes: closes
    )
    return forHEAD ? head : head + body
  }

  /// The head of a response whose end is not known yet.
  ///
  /// HTTP/1.0 has no chunks: there the end of the connection is the end. nginx keeps answers back in its buffers unless it is told
  /// otherwise.
  func encodedStreamHead(forHTTP10: Bool) -> [UInt8] {
    var fields = [("Content-Type", contentType), ("X-Accel-Buffering", "no")]
    if !forHTTP10 { fields.append(("Transfer-Encoding", "chunked")) }
    return head(fields, closes: true)
  }

  private func head(_ fields: [(String, String)], closes: Bool) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
    for (name, value) in fields + headers.map({ ($0.name, $0.value) }) {
      head += "\(Self.clean(name)): \(Self.clean(value))\r\n"
    }
    head += closes ? "Connection: close\r\n\r\n" : "\r\n"
    return Array(head.utf8)
  }

  /// No line break of a value may begin a header of its own.
  private static func clean(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}
