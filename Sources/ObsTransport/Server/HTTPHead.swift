/// Request line and headers of one request, checked.
struct HTTPHead {
  /// How the body is delimited.
  enum Body: Equatable { case none, length(Int), chunked }

  let method: String
  let target: [UInt8]
  let isHTTP10: Bool
  let headers: [String: String]

  /// The methods that are known here; others get 501.
  private static let methods: Set<String> = [
    "GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS",
  ]

  /// The headers that are kept, in lower case.
  static let kept: Set<String> = [
    "host", "accept", "authorization", "connection", "content-type", "content-length",
    "transfer-encoding", "content-encoding", "expect", "upgrade", "cookie", "user-agent", "origin",
    "if-match", "if-none-match", "x-forwarded-for", "x-request-id", "idempotency-key",
    "last-event-id", "sec-fetch-site",
  ]

  init(line: ArraySlice<UInt8>, headers: [String: String]) throws(HTTPFault) {
    let malformed = HTTPFault(400, "this is not a request line of HTTP/1.1")
    let words = line.split(separator: 32, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty,
      line.allSatisfy({ $0 >= 32 && $0 != 127 })
    else { throw malformed }
    let version = String(decoding: words[2], as: UTF8.self)
    guard version.hasPrefix("HTTP/") else { throw malformed }
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw HTTPFault(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
    }
    method = String(decoding: words[0], as: UTF8.self)
    guard Self.methods.contains(method) else {
      throw HTTPFault(501, "the method \(method.prefix(32)) is not known here")
    }
    target = Array(words[1])
    isHTTP10 = version == "HTTP/1.0"
    self.headers = headers
  }

  /// Reads the lines of a head, without the empty one at its end.
  init(lines: [ArraySlice<UInt8>]) throws(HTTPFault) {
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      // A colon right behind a token: neither folded lines nor spaces before the colon, which intermediaries read differently.
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line[..<colon].allSatisfy({ $0 > 32 && $0 < 127 })
      else { throw HTTPFault(400, "a line of the headers is not `name: value`") }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      guard Self.kept.contains(name) else { continue }
      let value = Self.trimmed(String(decoding: line[line.index(after: colon)...], as: UTF8.self))
      if let earlier = headers[name] {
        headers[name] = earlier + (name == "cookie" ? "; " : ", ") + value
      } else {
        headers[name] = value
      }
    }
    try self.init(line: lines.first ?? [], headers: headers)
  }

  /// Whether the connection ends after the answer.
  var closes: Bool {
    let options = headers["connection"].map { Self.members($0.lowercased()) } ?? []
    return options.contains("close") || (isHTTP10 && !options.contains("keep-alive"))
  }

  /// Whether a WebSocket is asked for.
  var isUpgrade: Bool { headers["upgrade"]?.lowercased() == "websocket" }

  var expectsContinue: Bool { headers["expect"]?.lowercased() == "100-continue" && !isHTTP10 }

  /// Where the body ends (RFC 9112 section 6.3); what could be read in two ways is refused.
  func body(limit: Int) throws(HTTPFault) -> Body {
    if let expect = headers["expect"], expect.lowercased() != "100-continue" {
      throw HTTPFault(417, "the only expectation that is met here is 100-continue")
    }
    if let coding = headers["transfer-encoding"] {
      guard headers["content-length"] == nil, !isHTTP10 else {
        throw HTTPFault(400, "Transfer-Encoding contradicts Content-Length or HTTP/1.0")
      }
      guard coding.lowercased() == "chunked" else {
        throw HTTPFault(501, "the only transfer coding that is known here is chunked")
      }
      return .chunked
    }
    guard let announced = headers["content-length"] else { return .none }
    let lengths = Set(Self.members(announced))
    guard lengths.count == 1, let text = lengths.first,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw HTTPFault(400, "Content-Length is not one number") }
    // Too many digits for an Int are too many bytes.
    guard let length = Int(text), length <= limit else { throw HTTPFault.bodyTooLarge(limit) }
    return length == 0 ? .none : .length(length)
  }

  /// The members of a comma-separated list.
  static func members(_ list: String) -> [String] {
    list.split(separator: ",").map { trimmed(String($0)) }.filter { !$0.isEmpty }
  }

  private static func trimmed(_ text: String) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}

extension HTTPFault {
  static func bodyTooLarge(_ limit: Int) -> HTTPFault {
    HTTPFault(413, "a body has at most \(limit) bytes")
  }
}
