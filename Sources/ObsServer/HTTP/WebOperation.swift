import ObsTransport
import ObsWire

/// One HTTP request that the models answer: once as JSON, or for as long as it is read as server-sent events.
///
/// Used on the loop's thread only.
final class WebOperation {
  enum Form {
    /// One `application/json` answer.
    case json
    /// `text/event-stream`: `next` and, at the end, `complete`.
    case events
    /// What `GET /data/…` answers: the value alone.
    case value
  }

  let exchange: HTTPExchange
  let key: OperationKey
  let form: Form
  /// Digests that the client has already (`If-None-Match`).
  let known: [String]
  /// Goes into the extensions of the first value; empty afterwards.
  var warnings: [UInt8] = []
  var explains = false
  /// Every value carries its digest.
  var resumes = false
  /// The value that the client said it has (`since`).
  var unchanged: Frame?
  /// One value, then the end.
  var isOnce = false
  /// The live query, while it is watched.
  var query: LiveQueryID?
  /// The events of a stream.
  var queue: StreamQueue?

  /// The stream's head has been sent.
  var hasBegun = false
  var isChoked = false
  /// The newest value that the socket had no room for.
  var pending: Frame?
  var skipped = 0
  /// Nothing follows `pending`.
  var isEnding = false
  var ending: [UInt8] = []

  init(_ exchange: HTTPExchange, _ key: OperationKey, _ form: Form, known: [String]) {
    self.exchange = exchange
    self.key = key
    self.form = form
    self.known = known
  }

  /// The payload of a `next`: `{"data":…,"extensions":{…}}`.
  func payload(_ frame: Frame, rev: Int64, seq: Int64?) -> [UInt8] {
    let isKnown = unchanged === frame
    unchanged = nil
    var bytes = Array(#"{"data":"#.utf8)
    bytes.append(contentsOf: isKnown ? Frame.unchanged : frame.bytes)
    bytes.append(contentsOf: #","extensions":{"rev":\#(rev)"#.utf8)
    if let seq { bytes.append(contentsOf: #","seq":\#(seq)"#.utf8) }
    if skipped > 0 { bytes.append(contentsOf: #","skipped":\#(skipped)"#.utf8) }
    if frame.deferred { bytes.append(contentsOf: #","deferred":true"#.utf8) }
    skipped = 0
    bytes.append(contentsOf: warnings)
    warnings = []
    if resumes || isKnown { frame.appendDigest(to: &bytes, isKnown: isKnown) }
    if explains, let explanation = frame.explanation {
      bytes.append(contentsOf: #","explain":"#.utf8)
      bytes.append(contentsOf: explanation)
    }
    bytes.append(contentsOf: "}}".utf8)
    return bytes
  }

  /// The payload of a failure: `{"data":null,"errors":[…]}`.
  static func payload(_ error: WireError) -> [UInt8] {
    Array(#"{"data":null,"errors":["#.utf8) + error.json.encoded + Array("]}".utf8)
  }

  /// A server-sent event; JSON text has no line breaks.
  static func event(_ name: String, id: String?, _ data: [UInt8]) -> [UInt8] {
    var bytes = Array("event: \(name)\n".utf8)
    if let id { bytes.append(contentsOf: "id: \(id)\n".utf8) }
    bytes.append(contentsOf: "data: ".utf8)
    bytes.append(contentsOf: data)
    bytes.append(contentsOf: "\n\n".utf8)
    return bytes
  }

  /// An event without data would not be dispatched by `EventSource`.
  static let complete = event("complete", id: nil, Array("{}".utf8))
}
