/// Why a JSON value does not fit a type, and which part of it.
public struct JSONDecodingError: Error, Sendable, Hashable {
  /// The part that is wrong or missing, such as `limit` or `filter.states[2]`; empty for the whole value.
  public var path: String

  /// The text for people, such as ``argument `limit` must be an integer, but is a string``.
  public var message: String
}

/// Why a value has no JSON form, and which part of it.
public struct JSONEncodingError: Error, Sendable, Hashable {
  /// The part that has no form, such as `rows[3].score`; empty for the whole value.
  public var path: String

  /// The text for people, such as ``value `rows[3].score` must be finite, but is nan``.
  public var message: String
}

extension JSONDecodingError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension JSONEncodingError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// What our own containers have found, as the end of a sentence: `must be an integer, but is a string`.
///
/// It travels as the underlying error of the standard library's `DecodingError` and `EncodingError`, since those are
/// what hand-written `init(from:)` catch.
struct CodingProblem: Error {
  let phrase: String
}

extension JSONDecodingError {
  init(_ error: any Error, root: String, noun: String) {
    guard let error = error as? DecodingError else {
      self.init(path: root, message: sentence(noun, root, "is not valid: \(error)"))
      return
    }
    let context: DecodingError.Context
    var keys: [any CodingKey]
    switch error {
    case .keyNotFound(let key, let found):
      context = found
      keys = found.codingPath + [key]
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
      context = found
      keys = found.codingPath
    @unknown default:
      self.init(path: root, message: sentence(noun, root, "is not valid: \(error)"))
      return
    }
    let phrase =
      switch context.underlyingError {
      case let problem as CodingProblem: problem.phrase
      case let other?: "is not valid: \(other)"
      case nil: "is not valid: \(context.debugDescription)"
      }
    let path = pathText(keys, root: root)
    self.init(path: path, message: sentence(noun, path, phrase))
  }
}

extension JSONEncodingError {
  init(_ error: EncodingError) {
    switch error {
    case .invalidValue(_, let context):
      let path = pathText(context.codingPath, root: "")
      let phrase =
        (context.underlyingError as? CodingProblem)?.phrase
        ?? "cannot be encoded: \(context.debugDescription)"
      self.init(path: path, message: sentence("value", path, phrase))
    @unknown default:
      self.init(path: "", message: "value cannot be encoded: \(error)")
    }
  }
}

private func sentence(_ noun: String, _ path: String, _ phrase: String) -> String {
  path.isEmpty ? "\(noun) \(phrase)" : "\(noun) `\(path)` \(phrase)"
}

private func pathText(_ keys: [any CodingKey], root: String) -> String {
  var text = root
  for key in keys {
    if let index = key.intValue {
      text += "[\(index)]"
    } else {
      text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
    }
  }
  return text
}
