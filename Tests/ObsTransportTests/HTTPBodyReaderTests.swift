import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct HTTPBodyReaderTests {
  /// The body of pieces, with what follows it; or the status that refuses it.
  private func read(
    _ framing: HTTPHead.Body,
    _ pieces: [ArraySlice<UInt8>],
    limit: Int = 100
  ) -> Result<String?, HTTPFault> {
    Result { () throws(HTTPFault) in
      var input = HTTPInput()
      var reader = HTTPBodyReader(framing, limit: limit)
      var isComplete = false
      for piece in pieces {
        unsafe piece.withUnsafeBytes { unsafe input.append($0) }
        if !isComplete { isComplete = try reader.read(&input) }
      }
      guard isComplete else { return nil }
      return String(decoding: reader.body, as: UTF8.self) + "|"
        + String(decoding: input.rest, as: UTF8.self)
    }
  }

  private func status(_ chunked: String, limit: Int = 100) -> Int {
    let result = read(.chunked, [Array(chunked.utf8)[...]], limit: limit)
    return if case .failure(let fault) = result { fault.status } else { 200 }
  }

  @Test("Chunks, extensions and trailers become one body, wherever they are split")
  func chunks() throws {
    let text = Array(
      "4\r\nWiki\r\n6;x=y\r\npedia \r\nE \r\nin \r\n\r\nchunks.\r\n0\r\nA: b\r\n\r\nnext".utf8
    )
    for split in 0...text.count {
      let whole = try read(.chunked, [text[..<split], text[split...]]).get()
      #expect(whole == "Wikipedia in \r\n\r\nchunks.|next")
    }
    #expect(
      try read(.chunked, text.indices.map { text[$0...$0] }).get()?.hasSuffix(".|next") == true
    )
  }

  @Test("A body of known length ends there")
  func length() throws {
    #expect(
      try read(.length(3), [Array("ab".utf8)[...], Array("cde".utf8)[...]]).get() == "abc|de"
    )
    #expect(try read(.length(3), [Array("ab".utf8)[...]]).get() == nil)
    #expect(try read(.none, [[]]).get() == "|")
  }

  @Test("Malformed chunks are 400, too many bytes 413")
  func refusals() {
    #expect(status("5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n", limit: 10) == 200)
    #expect(status("5\r\nhello\r\n6\r\n", limit: 10) == 413)
    #expect(status("7fffffffffffffff\r\n") == 400)
    #expect(status("fffffffffffffff\r\n") == 413)
    for malformed in ["x\r\n", "\r\n", "-1\r\n", "1 1\r\n", "0x1\r\n", "1\r\nab\r\n"] {
      #expect(status(malformed) == 400, "\(malformed)")
    }
    #expect(status(String(repeating: "0", count: 300)) == 400)
    #expect(status("0\r\n" + String(repeating: "A: b\r\n", count: 5000)) == 431)
  }
}
