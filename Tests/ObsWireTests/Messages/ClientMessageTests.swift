import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientMessageTests {
  private func parse(_ text: String) throws(ProtocolViolation) -> ClientMessage {
    try ClientMessage(parsing: Array(text.utf8))
  }

  /// Every message with its text: read from it, and written to it.
  ///
  /// Made anew each time: the leak detector does not see references that stay inside an enum with values.
  static var texts: [(ClientMessage, String)] {
    [
      (.connectionInit(payload: [:]), #"{"type":"connection_init"}"#),
      (
        .connectionInit(payload: ["token": "t", "keepAlive": 5000, "client": "obsctl/1.0"]),
        #"{"type":"connection_init","payload":{"client":"obsctl/1.0","keepAlive":5000,"token":"t"}}"#
      ),
      (.ping(payload: nil), #"{"type":"ping"}"#),
      (.ping(payload: [:]), #"{"type":"ping","payload":{}}"#),
      (.pong(payload: ["n": 1]), #"{"type":"pong","payload":{"n":1}}"#),
      (.pong(payload: nil), #"{"type":"pong"}"#),
      (.complete(id: "a\"b"), #"{"id":"a\"b","type":"complete"}"#),
      (
        .subscribe(id: "a", payload: .init(query: "length(issues)")),
        #"{"id":"a","type":"subscribe","payload":{"query":"length(issues)"}}"#
      ),
      (
        .subscribe(
          id: "b",
          payload: .init(
            operationName: "newest",
            variables: ["limit": 5],
            live: .init(
              once: true,
              minInterval: .milliseconds(250),
              explain: true,
              key: "k",
              ifSeq: 0,
              since: "AAAAAAAAAAAAAAAAAAAAAA",
              resume: true,
              minSeq: 9
            )
          )
        ),
        #"{"id":"b","type":"subscribe","payload":{"query":"","operationName":"newest","variables":{"limit":5},"#
          + #""extensions":{"live":{"once":true,"minInterval":250,"explain":true,"key":"k","ifSeq":0,"#
          + #""since":"AAAAAAAAAAAAAAAAAAAAAA","resume":true,"minSeq":9}}}}"#
      ),
    ]
  }

  @Test(arguments: texts)
  func `every message is read and written`(message: ClientMessage, text: String) throws {
    #expect(try parse(text) == message)
    #expect(String(decoding: message.encoded, as: UTF8.self) == text)
  }

  @Test(arguments: [
    (#"{"type":"ping","payload":null,"more":[1]}"#, ClientMessage.ping(payload: nil)),
    (#"{"type":"connection_init","payload":null}"#, .connectionInit(payload: [:])),
    (
      #"{"id":"a","type":"subscribe","x":1,"payload":{"query":"q","operationName":null,"variables":null,"#
        + #""extensions":null,"y":{}}}"#,
      .subscribe(id: "a", payload: .init(query: "q"))
    ),
    (
      #"{"id":"a","type":"subscribe","payload":{"query":"q","extensions":{"live":null,"trace":1}}}"#,
      .subscribe(id: "a", payload: .init(query: "q"))
    ),
    (
      #"{"id":"a","type":"subscribe","payload":{"query":"q","extensions":{"live":{"later":1,"once":null,"minInterval":1e2}}}}"#,
      .subscribe(id: "a", payload: .init(query: "q", live: .init(minInterval: .milliseconds(100))))
    ),
  ])
  func `unknown members are ignored, and null is as good as absent`(
    text: String,
    message: ClientMessage
  ) throws {
    #expect(try parse(text) == message)
  }

  /// Rows of PROTOCOL.md's table of bad input: text, reason, operation.
  @Test(
    arguments: [
      ("", "bad message: no JSON value at byte 0", nil),
      ("[]", "bad message: must be an object, but is an array", nil),
      ("{}", "bad message: type is missing", nil),
      (#"{"type":1}"#, "bad message: type must be a string, but is an integer", nil),
      (#"{"type":"start","id":"a"}"#, "bad message: unknown type start", "a"),
      (#"{"type":"next","id":"a"}"#, "bad message: unknown type next", "a"),
      (
        #"{"type":"ping","payload":[]}"#, "bad message: payload must be an object, but is an array",
        nil
      ),
      (
        #"{"type":"pong","payload":"x"}"#,
        "bad message: payload must be an object, but is a string", nil
      ),
      (#"{"type":"complete"}"#, "bad message: id is missing", nil),
      (#"{"type":"complete","id":7}"#, "bad message: id must be a string, but is an integer", nil),
      (#"{"type":"complete","id":""}"#, "bad message: id must have 1 to 128 bytes", nil),
      (#"{"type":"subscribe","id":"a"}"#, "bad message: payload is missing", "a"),
      (#"{"type":"subscribe","payload":{"query":""}}"#, "bad message: id is missing", nil),
      (
        #"{"type":"subscribe","id":"a","payload":{}}"#, "bad message: payload.query is missing", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":1}}"#,
        "bad message: payload.query must be a string, but is an integer", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","variables":[1]}}"#,
        "bad message: payload.variables must be an object, but is an array", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","operationName":{}}}"#,
        "bad message: payload.operationName must be a string, but is an object", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":{"once":1}}}}"#,
        "bad message: payload.extensions.live.once must be a boolean, but is an integer", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":{"minInterval":-1}}}}"#,
        "bad message: payload.extensions.live.minInterval must be at least 0", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":{"ifSeq":1.5}}}}"#,
        "bad message: payload.extensions.live.ifSeq must be an integer, but is a number", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":{"key":""}}}}"#,
        "bad message: payload.extensions.live.key must have 1 to 64 characters", "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":{"since":"abc"}}}}"#,
        "bad message: payload.extensions.live.since must be a digest, 22 characters of base64url",
        "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":"#
          + #"{"since":"AAAAAAAAAAAAAAAAAAAA+/"}}}}"#,
        "bad message: payload.extensions.live.since must be a digest, 22 characters of base64url",
        "a"
      ),
      (
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":{"since":7}}}}"#,
        "bad message: payload.extensions.live.since must be a string, but is an integer", "a"
      ),
      (
        #"{"type":"connection_init","payload":{"keepAlive":4999}}"#,
        "bad message: payload.keepAlive must be at least 5000", nil
      ),
      (
        #"{"type":"connection_init","payload":{"token":5}}"#,
        "bad message: payload.token must be a string, but is an integer", nil
      ),
      (
        #"{"type":"ping","type":"pong"}"#,
        "bad message: duplicate object key near '\"type\"' at byte 21", nil
      ),
      (
        #"{"type":"ping","payload":{"n":9223372036854775808}}"#,
        "bad message: number out of range at /payload/n", nil
      ),
    ] as [(String, String, String?)]
  )
  func `what breaks the protocol ends with 4400 and says why`(
    text: String,
    reason: String,
    operation: String?
  ) {
    let violation = #expect(throws: ProtocolViolation.self) { try parse(text) }
    #expect(violation?.close == .badMessage)
    #expect(violation?.reason == reason)
    #expect(violation?.operation == operation)
  }

  @Test func `an id has 1 to 128 bytes`() throws {
    let longest = String(repeating: "é", count: 64)
    #expect(try parse(#"{"type":"complete","id":"\#(longest)"}"#) == .complete(id: longest))
    #expect(throws: ProtocolViolation.self) {
      try parse(#"{"type":"complete","id":"\#(longest)x"}"#)
    }
  }

  @Test func `an idempotency key has at most 64 characters`() throws {
    func text(_ count: Int) -> String {
      let key = String(repeating: "é", count: count)
      return
        #"{"type":"subscribe","id":"a","payload":{"query":"","extensions":{"live":{"key":"\#(key)"}}}}"#
    }
    #expect(throws: Never.self) { try parse(text(64)) }
    #expect(throws: ProtocolViolation.self) { try parse(text(65)) }
  }

  @Test func `size and depth have their codes`() {
    let big = #expect(throws: ProtocolViolation.self) {
      try ClientMessage(parsing: Array(#"{"type":"ping"}"#.utf8), limits: .init(maximumBytes: 10))
    }
    #expect(big?.close == .messageTooBig)
    #expect(big?.reason == "message over 10 bytes")
    let deep = #expect(throws: ProtocolViolation.self) {
      try parse(#"{"type":"ping","payload":{"a":"# + String(repeating: "[", count: 100_000))
    }
    #expect(deep?.close == .badMessage)
    #expect(deep?.reason.hasPrefix("bad message: nested deeper than 64") == true)
    let text = #expect(throws: ProtocolViolation.self) {
      try ClientMessage(parsing: [0x22, 0xff, 0x22])
    }
    #expect(text?.close == .invalidUTF8)
  }

  @Test func `the token is found in its three places`() throws {
    #expect(try ConnectionInit(payload: ["token": "a", "Authorization": "Bearer b"]).token == "a")
    #expect(try ConnectionInit(payload: ["Authorization": "Bearer b"]).token == "b")
    #expect(try ConnectionInit(payload: ["authorization": "bearer c"]).token == "c")
    #expect(try ConnectionInit(payload: ["authorization": "Basic c"]).token == nil)
    #expect(try ConnectionInit(payload: ["authorization": 7]).token == nil)
    #expect(try ConnectionInit(payload: ["keepAlive": 5000]).keepAlive == .seconds(5))
    #expect(try ConnectionInit(payload: ["client": "x/1"]).client == "x/1")
    #expect(try ConnectionInit(payload: ["client": ["name": "x"]]).client == #"{"name":"x"}"#)
  }

  @Test func `minInterval is rounded up to milliseconds`() {
    let message = ClientMessage.subscribe(
      id: "a",
      payload: .init(live: .init(minInterval: .microseconds(1)))
    )
    #expect(String(decoding: message.encoded, as: UTF8.self).contains(#""minInterval":1}"#))
  }

  @Test func `damaged messages end in a violation or a message, never in a trap`() throws {
    let texts = Self.texts
    try withSeed { generator in
      for _ in 0..<20_000 {
        let text = try #require(texts.randomElement(using: &generator)).1
        do throws(ProtocolViolation) {
          let message = try ClientMessage(parsing: Array(text.utf8).damaged(using: &generator))
          #expect(try ClientMessage(parsing: message.encoded) == message)
        } catch {
          #expect(CloseCode.all.contains(error.close))
          #expect(error.reason.utf8.count <= ProtocolViolation.maximumReasonBytes)
        }
      }
    }
  }
}
