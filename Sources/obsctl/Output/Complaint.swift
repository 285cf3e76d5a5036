internal import ObsClient
internal import ObsQuery
internal import ObsWire

/// Why a command ends, in words for the person at the terminal: what is wrong, where, and what to do.
struct Complaint: Error {
  var text: String
  var code: ExitCode

  init(_ text: String, _ code: ExitCode) {
    self.text = text
    self.code = code
  }

  /// An error of the client library.
  ///
  /// - Parameters:
  ///   - error: what went wrong.
  ///   - query: the text that the error's place is in.
  ///   - operations: the operations of the patch that was refused.
  init(_ error: ClientError, query: String? = nil, operations: [JSONPatchOperation] = []) {
    var lines = ["\(error.message) [\(error.code.rawValue)]"]
    if let query, let place = error.location {
      lines.append(Excerpt.text(query, line: place.line, column: place.column))
    }
    if let op = error.op {
      let json = operations.indices.contains(op) ? ": \(operations[op].json.shortened)" : ""
      lines.append("  operation \(op)\(json)")
    }
    if let pointer = error.pointer { lines.append("  pointer \"\(pointer)\"") }
    if let limit = error.wire?.limit { lines.append("  limit \(limit)") }
    lines += [error.hint, Self.advice(error)].compactMap { $0.map { "  hint: \($0)" } }
    self.init(lines.joined(separator: "\n"), ExitCode(error))
  }

  /// An error of an expression that was looked at here.
  init(_ error: QueryError, query: String) {
    var lines = ["\(error.message) [\(error.code.rawValue)]"]
    if error.line > 0 { lines.append(Excerpt.text(query, line: error.line, column: error.column)) }
    if let hint = error.hint { lines.append("  hint: \(hint)") }
    if error.code == .unknownFunction {
      lines.append("  hint: functions that a server registers are known to that server only")
    }
    self.init(lines.joined(separator: "\n"), .badData)
  }

  /// A text that should be JSON.
  init(_ error: JSONError, in name: String) {
    self.init(
      "\(name) is no JSON that can be taken: \(error.message) "
        + "(line \(error.line), column \(error.column))",
      .badData
    )
  }

  private static func advice(_ error: ClientError) -> String? {
    switch ExitCode(error) {
    case .unavailable: "is the server running, and is --url (or $OBS_URL) right?"
    case .noPermission: "give a token with --token or $OBS_TOKEN"
    case .badData where error.code == .tooLarge || error.close == .messageTooBig:
      "`obsctl import` brings large values in many commits"
    case .badData where error.code == .unknownOperation: "`obsctl describe` lists the operations"
    default: nil
    }
  }
}

/// The line of a query with a place in it, and a caret under the place.
enum Excerpt {
  /// Shows a place, each line indented by two spaces.
  static func text(_ query: String, line: Int, column: Int) -> String {
    let excerpt = QueryError.excerpt(of: query, line: line, column: column)
    return "  " + excerpt.replacing("\n", with: "\n  ")
  }
}

extension JSON {
  /// The text, or its beginning when it is long.
  var shortened: String {
    let text = description
    return text.count > 160 ? "\(text.prefix(160))…" : text
  }
}
