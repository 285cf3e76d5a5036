internal import ObsWire

/// The part of a `next` that the application sees as new or not: its value, or the errors in its place.
enum Content: Equatable, Sendable {
  case value(JSON)
  case errors([WireError])

  init(_ payload: NextPayload) {
    self = payload.errors.isEmpty ? .value(payload.data) : .errors(payload.errors)
  }

  /// The value as the type asked for, or the error that the server or the decoder has to say.
  func decoded<Value: Decodable>(as type: Value.Type) -> Result<Value, ClientError> {
    var error: ClientError
    switch self {
    case .errors(let errors):
      error =
        errors.first.map { ClientError($0) } ?? ClientError(.internal, "an empty list of errors")
    case .value(let json):
      do throws(JSONDecodingError) {
        return .success(try JSONCoding.decode(Value.self, from: json))
      } catch let failure {
        error = ClientError(
          .badValue,
          "the value is no \(Value.self): \(failure.message)",
          underlying: failure
        )
      }
    }
    error.mayHeal = true
    return .failure(error)
  }
}

/// A `next` as it arrived.
struct Reply: Sendable {
  var content: Content
  var extensions: JSON.Object
  var epoch: String
  var rev: Int64
  var skipped: Int
  var more: Bool
  var deferred: Bool
  /// The number of an event of a stream.
  var event: Int64?

  init(_ payload: NextPayload, epoch: String) {
    content = Content(payload)
    extensions = payload.extensions
    self.epoch = epoch
    rev = payload.rev ?? 0
    skipped = Int(payload.skipped)
    more = payload.more
    deferred = payload.deferred
    event = payload.event
  }
}
