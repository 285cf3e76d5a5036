import ObsTransport
import ObsWire

/// Why a request is answered without asking the models.
struct HTTPProblem: Error {
  let response: HTTPResponse

  init(_ status: Int, _ message: String, headers: [(name: String, value: String)] = []) {
    response = .text(status, message, headers: headers)
  }

  /// A text that is no JSON that can be taken; a number that nothing can hold is an error with its place.
  init(_ error: JSONError, _ what: String, in text: [UInt8]) {
    guard error.kind == .numberRange else {
      response = .text(400, "\(what) is not JSON that can be taken: \(error)")
      return
    }
    response = .failure(
      WireError(
        .numberRange,
        "\(what) has a number that is out of range: \(error)",
        extensions: ["pointer": .string(error.pointer(in: text))]
      )
    )
  }
}

extension HTTPResponse {
  /// The answer that carries an error.
  static func failure(_ error: WireError) -> HTTPResponse {
    HTTPResponse(
      status: error.httpStatus,
      contentType: "application/json",
      headers: error.retryable ? [("Retry-After", "1")] : [],
      body: WebOperation.payload(error) + [UInt8(ascii: "\n")]
    )
  }
}

extension HTTPRequest {
  /// Refuses other methods with 405.
  func allow(_ methods: String...) throws(HTTPProblem) {
    if methods.contains(method) { return }
    let list = methods.joined(separator: ", ")
    throw HTTPProblem(405, "\(path) answers \(list)", headers: [("Allow", list)])
  }

  /// Whether the client names a media type in `Accept`.
  func accepts(_ type: String) -> Bool {
    (headers["accept"] ?? "").split(separator: ",").contains { part in
      part.prefix { $0 != ";" }.trimming == type
    }
  }

  /// The media type of the body, in lower case, without parameters.
  var mediaType: String {
    String((headers["content-type"] ?? "no type").prefix { $0 != ";" }.trimming).lowercased()
  }

  /// The entity tags of `If-None-Match`, as they were sent, weak ones as strong ones.
  var knownDigests: [String] {
    (headers["if-none-match"] ?? "").split(separator: ",").map { tag in
      let tag = tag.trimming
      return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : String(tag)
    }
  }

  /// The body as JSON.
  func json(_ limits: JSONLimits) throws(HTTPProblem) -> JSON {
    do throws(JSONError) {
      return try JSON(parsing: body, limits: limits)
    } catch {
      throw HTTPProblem(error, "the body", in: body)
    }
  }

  /// The payload of a POST: the `payload` of `subscribe`.
  func payload(_ limits: JSONLimits) throws(HTTPProblem) -> SubscribePayload {
    guard mediaType == "application/json" || mediaType == "application/graphql+json" else {
      throw HTTPProblem(415, "POST takes application/json, not \(mediaType)")
    }
    return try payload(try json(limits))
  }

  /// The payload of a GET: `query`, `operationName`, `variables` and `extensions` as parameters, the last two as JSON.
  func getPayload() throws(HTTPProblem) -> SubscribePayload {
    var members: JSON.Object = ["query": .string(parameter("query") ?? "")]
    if let name = parameter("operationName") { members["operationName"] = .string(name) }
    for name in ["variables", "extensions"] {
      guard let text = parameter(name), !text.isEmpty else { continue }
      let bytes = Array(text.utf8)
      do throws(JSONError) {
        members[name] = try JSON(parsing: bytes)
      } catch {
        throw HTTPProblem(error, "the parameter `\(name)`", in: bytes)
      }
    }
    return try payload(.object(members))
  }

  private func payload(_ json: JSON) throws(HTTPProblem) -> SubscribePayload {
    do throws(ProtocolViolation) {
      return try SubscribePayload(json: json)
    } catch {
      throw HTTPProblem(400, error.reason)
    }
  }
}

extension Substring {
  fileprivate var trimming: Substring {
    drop { $0 == " " || $0 == "\t" }.reversedDrop
  }

  private var reversedDrop: Substring {
    var text = self
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
