/// A plain HTTP request on the port of a WebSocket server.
public struct HTTPRequest: Sendable {
  /// `GET`, `HEAD`, `POST`, `PATCH`, … in capitals.
  public var method: String
  /// The path, percent-decoded, with its leading slash.
  public var path: String
  /// What follows the question mark, or empty.
  public var query: String
  /// The usual headers by their lower-case names: `host`, `accept`, `authorization`, `content-type`, `content-length`, `cookie`,
  /// `user-agent`, `origin`, `if-match`, `if-none-match`, `x-request-id`, `idempotency-key`.
  public var headers: [String: String]
  /// The body, at most ``ListenOptions/maximumBodyBytes``.
  public var body: [UInt8]
  /// The numeric address of the client's end of the connection.
  public var remoteAddress: String?

  /// Makes a request, for tests of handlers.
  public init(
    method: String,
    path: String,
    query: String = "",
    headers: [String: String] = [:],
    body: [UInt8] = [],
    remoteAddress: String? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.remoteAddress = remoteAddress
  }
}

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
    var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
    head += "Content-Type: \(Self.clean(contentType))\r\nContent-Length: \(body.count)\r\n"
    for (name, value) in headers { head += "\(Self.clean(name)): \(Self.clean(value))\r\n" }
    head += closes ? "Connection: close\r\n\r\n" : "\r\n"
    return forHEAD ? Array(head.utf8) : Array(head.utf8) + body
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
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Status"
    }
  }
}
