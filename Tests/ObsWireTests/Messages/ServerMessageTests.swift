import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServerMessageTests {
  private func parse(_ text: String) throws(ProtocolViolation) -> ServerMessage {
    try ServerMessage(parsing: Array(text.utf8))
  }

  /// Every message with its text: read from it, and written to it.
  ///
  /// Made anew each time: the leak detector does not see references that stay inside an enum with values.
  static var texts: [(ServerMessage, String)] {
    [
      (
        .connectionAck(payload: ["protocol": 1, "rev": 41, "session": "s7"]),
        #"{"type":"connection_ack","payload":{"protocol":1,"rev":41,"session":"s7"}}"#
      ),
      (.ping(payload: nil), #"{"type":"ping"}"#),
      (.pong(payload: ["n": [1]]), #"{"type":"pong","payload":{"n":[1]}}"#),
      (
        .next(id: "a", payload: .init(data: 4, extensions: ["rev": 41])),
        #"{"id":"a","type":"next","payload":{"data":4,"extensions":{"rev":41}}}"#
      ),
      (
        .next(
          id: "a",
          payload: .init(
            data: .null,
            errors: [.init(.invalidType, "no number")],
            extensions: ["rev": 42]
          )
        ),
        #"{"id":"a","type":"next","payload":{"data":null,"errors":[{"message":"no number","extensions":{"code":"invalid-type"}}],"#
          + #""extensions":{"rev":42}}}"#
      ),
      (
        .next(id: "é", payload: .init(data: [:])),
        #"{"id":"é","type":"next","payload":{"data":{}}}"#
      ),
      (
        .error(
          id: "b",
          errors: [
            .init(
              .syntax,
              "unexpected `]`",
              locations: [.init(line: 1, column: 3)],
              path: ["watch", 0],
              extensions: ["hint": "remove it", "offset": 2]
            )
          ]
        ),
        #"{"id":"b","type":"error","payload":[{"message":"unexpected `]`","locations":[{"line":1,"column":3}],"#
          + #""path":["watch",0],"extensions":{"code":"syntax","hint":"remove it","offset":2}}]}"#
      ),
      (.complete(id: "b"), #"{"id":"b","type":"complete"}"#),
    ]
  }

  @Test(arguments: texts)
  func `every message is read and written`(message: ServerMessage, text: String) throws {
    #expect(try parse(text) == message)
    #expect(String(decoding: message.encoded, as: UTF8.self) == text)
  }

  @Test func `what belongs to a value can be asked for`() throws {
    let text =
      #"{"id":"a","type":"next","payload":{"data":1,"extensions":{"rev":7,"seq":5,"skipped":3,"more":true,"#
      + #""deferred":true,"unchanged":true,"event":9,"digest":"d","later":{}}}}"#
    guard case .next(_, let payload) = try parse(text) else {
      Issue.record("no next")
      return
    }
    #expect(payload.rev == 7 && payload.seq == 5 && payload.skipped == 3 && payload.event == 9)
    #expect(payload.more && payload.deferred && payload.unchanged && payload.digest == "d")
    let empty = NextPayload(data: 1)
    #expect(empty.rev == nil && empty.seq == nil && empty.skipped == 0 && empty.event == nil)
    #expect(!empty.more && !empty.deferred && !empty.unchanged && empty.digest == nil)
  }

  @Test(arguments: ["a", "", "\"\\\n", "é😀"])
  func `prefix, value and suffix make a next`(id: String) throws {
    let bytes = ServerMessage.nextPrefix(id: id) + Array(#"[1,2],"extensions":{"rev":42}}}"#.utf8)
    let json = try JSON(parsing: bytes)
    #expect(
      json == [
        "id": .string(id), "type": "next",
        "payload": ["data": [1, 2], "extensions": ["rev": 42]],
      ]
    )
    #expect(
      String(decoding: ServerMessage.nextPrefix(id: "a"), as: UTF8.self)
        == #"{"id":"a","type":"next","payload":{"data":"#
    )
  }

  @Test(arguments: [
    #"{"id":"a","type":"error","payload":[]}"#,
    #"{"id":"a","type":"error","payload":{"message":"m"}}"#,
    #"{"id":"a","type":"error","payload":["m"]}"#, #"{"id":"a","type":"error"}"#,
    #"{"id":"a","type":"next"}"#, #"{"type":"next","payload":{"data":1}}"#,
    #"{"id":"a","type":"subscribe","payload":{"query":""}}"#, #"{"id":"a","type":"ka"}"#, "null",
    "{",
    #"{"id":"a","type":"next","payload":{"data":1,"errors":[{}]}}"#,
  ])
  func `what breaks the protocol is refused with 4400`(text: String) {
    let violation = #expect(throws: ProtocolViolation.self) { try parse(text) }
    #expect(violation?.close == .badMessage)
  }

  @Test func `an error from another server is read leniently`() throws {
    let json: JSON = [
      "message": "m", "locations": [["line": 1], 5, ["line": 2, "column": 3]], "path": .null,
      "extensions": .null,
    ]
    let error = try #require(WireError(json: json))
    #expect(error.code == .internal)
    #expect(error.locations == [.init(line: 2, column: 3)])
    #expect(error.path.isEmpty && error.extensions.isEmpty)
    #expect(WireError(json: ["extensions": ["code": "x"]]) == nil)
    #expect(WireError(json: "m") == nil)
  }

  @Test func `an error's json is what it writes`() throws {
    let error = WireError(
      .tooLarge,
      "too much",
      locations: [.init(line: 1, column: 2)],
      path: ["a", 1],
      extensions: ["limit": "maximumBytes", "code": "overwritten"]
    )
    #expect(WireError(json: error.json) == error)
    #expect(try JSON(parsing: JSONCoding.encode(error.json)) == error.json)
    var writer = JSONWriter()
    error.write(to: &writer)
    #expect(try JSON(parsing: writer.bytes) == error.json)
    #expect(error.description == "too-large: too much")
  }

  @Test func `damaged messages end in a violation or a message, never in a trap`() throws {
    let texts = Self.texts
    try withSeed { generator in
      for _ in 0..<20_000 {
        let text = try #require(texts.randomElement(using: &generator)).1
        guard let message = try? ServerMessage(parsing: Array(text.utf8).damaged(using: &generator))
        else { continue }
        #expect(try ServerMessage(parsing: message.encoded) == message)
      }
    }
  }
}
