import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct HTTPHeadTests {
  /// The head of a text, or the status that refuses it.
  private func head(_ text: String) -> Result<HTTPHead, HTTPFault> {
    Result { () throws(HTTPFault) in
      var input = HTTPInput()
      let bytes = Array((text + "\r\n\r\n").utf8)
      unsafe bytes.withUnsafeBytes { unsafe input.append($0) }
      return try HTTPHead(lines: try input.head(limit: 8192) ?? [])
    }
  }

  private func body(_ headers: String) -> Result<HTTPHead.Body, HTTPFault> {
    head("POST / HTTP/1.1\r\n" + headers).flatMap { head in
      Result { () throws(HTTPFault) in try head.body(limit: 100) }
    }
  }

  private func status<Value>(_ result: Result<Value, HTTPFault>) -> Int {
    if case .failure(let fault) = result { fault.status } else { 200 }
  }

  @Test("Names are lower case, values trimmed, repeated ones joined")
  func headers() throws {
    let head = try head(
      "PATCH /a HTTP/1.1\r\nHOST:  x \r\nCookie: a=1\r\nAccept: b\r\nCookie: c=2\r\nAccept: d\r\nX-Other: e"
    ).get()
    #expect(head.method == "PATCH")
    #expect(head.target == Array("/a".utf8))
    #expect(head.headers == ["host": "x", "cookie": "a=1; c=2", "accept": "b, d"])
    #expect(!head.closes)
  }

  @Test("Connection and version say whether the connection ends")
  func closes() throws {
    for (head, closes) in [
      ("GET / HTTP/1.1\r\nConnection: x, Close", true), ("GET / HTTP/1.0", true),
      ("GET / HTTP/1.0\r\nConnection: keep-alive", false), ("GET / HTTP/1.1", false),
    ] { #expect(try self.head(head).get().closes == closes, "\(head)") }
  }

  @Test("Lines that others might read differently are refused")
  func malformed() {
    for (text, expected) in [
      ("GET /", 400), ("GET  / HTTP/1.1", 400), ("GET / x HTTP/1.1", 400), ("GET / HTTQ/1.1", 400),
      ("GET /\t HTTP/1.1", 400), ("PRI * HTTP/2.0", 505), ("BREW / HTTP/1.1", 501),
      ("get / HTTP/1.1", 501), ("GET / HTTP/1.1\r\n folded", 400),
      ("GET / HTTP/1.1\r\nHost : x", 400), ("GET / HTTP/1.1\r\nno colon", 400),
      ("GET / HTTP/1.1\r\n: x", 400),
    ] { #expect(status(head(text)) == expected, "\(text)") }
  }

  @Test("The end of a body is announced in one way, or the request is refused")
  func framing() throws {
    #expect(try body("Host: a").get() == .none)
    #expect(try body("Content-Length: 0").get() == .none)
    #expect(try body("Content-Length: 100").get() == .length(100))
    #expect(try body("Content-Length: 5\r\nContent-Length: 5").get() == .length(5))
    #expect(try body("Transfer-Encoding: Chunked").get() == .chunked)
    for (headers, expected) in [
      ("Content-Length: 101", 413), ("Content-Length: 99999999999999999999999", 413),
      ("Content-Length: -5", 400), ("Content-Length: +5", 400), ("Content-Length: 0x5", 400),
      ("Content-Length: 5, 6", 400), ("Content-Length:", 400),
      ("Content-Length: 5\r\nTransfer-Encoding: chunked", 400),
      ("Transfer-Encoding: gzip, chunked", 501), ("Expect: a miracle", 417),
    ] { #expect(status(body(headers)) == expected, "\(headers)") }
  }

  @Test("A head has a limit, and empty lines before it do not count")
  func limit() throws {
    var input = HTTPInput()
    func add(_ text: String) {
      let bytes = Array(text.utf8)
      unsafe bytes.withUnsafeBytes { unsafe input.append($0) }
    }
    add("\r\n\nGET / HT")
    #expect(try input.head(limit: 30) == nil)
    add("TP/1.1\r\n\r\nrest")
    #expect(try input.head(limit: 30)?.count == 1)
    #expect(Array(input.rest) == Array("rest".utf8))
    add(String(repeating: "x", count: 30))
    #expect(throws: HTTPFault(431, "the head of a request has at most 30 bytes")) {
      try input.head(limit: 30)
    }
  }
}
