internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// Writes what several watched queries show, one after the other, and counts it.
actor Lines {
  private let queries: [Query]
  private let format: Format?
  private let output: Output
  private let limit: Int?
  private var board: Board?
  private var count = 0

  init(_ queries: [Query], limit: Int?, _ session: Session) {
    self.queries = queries
    self.limit = limit
    format = session.options.format
    output = session.output
    if format == nil, output.isTerminal {
      board = Board(queries.map(\.title), isStyled: output.isStyled)
    }
  }

  /// Shows a value; true when it was the last one wanted.
  func add(_ frame: Frame<JSON>, at index: Int) throws -> Bool {
    let query = queries[index]
    tell(frame.extensions["warnings"]?.arrayValue ?? [], of: query)
    switch format ?? .ndjson {
    case _ where board != nil: try draw(frame.value.description, at: index)
    case .value: try output.line(frame.value.description)
    case .pretty: try output.line("\(query.title) (rev \(frame.rev))\n\(frame.value.pretty())")
    default:
      var line = frame.line(of: query)
      if frame.skipped > 0 { line["skipped"] = .int(Int64(frame.skipped)) }
      if frame.deferred { line["deferred"] = true }
      try output.line(JSON.object(line).description)
    }
    return isEnough()
  }

  /// Shows that a query has no value at present; true when it was the last state wanted.
  func add(_ error: ClientError, at index: Int) throws -> Bool {
    let query = queries[index]
    switch format ?? .ndjson {
    case _ where board != nil: try draw("no value: \(error)", at: index)
    case .value: output.note("\(query.title): \(error)")
    case .pretty: try output.line("\(query.title): no value: \(error)")
    default:
      var line: JSON.Object = ["errors": .array([error.wire?.json ?? .null])]
      line[query.member.key] = query.member.value
      try output.line(JSON.object(line).description)
    }
    return isEnough()
  }

  private func tell(_ warnings: [JSON], of query: Query) {
    for warning in warnings { output.note(Warning.text(warning, of: query.text ?? "")) }
  }

  private func draw(_ text: String, at index: Int) throws {
    guard let drawing = board?.show(text, at: index) else { return }
    try output.write(drawing)
  }

  private func isEnough() -> Bool {
    count += 1
    return count == limit
  }
}

extension Frame<JSON> {
  /// The members of a line of JSON: what was asked, and what came.
  func line(of query: Query) -> JSON.Object {
    var line: JSON.Object = ["data": value, "rev": .int(rev)]
    if let seq { line["seq"] = .int(seq) }
    line[query.member.key] = query.member.value
    return line
  }
}

/// What is allowed in a query and probably not meant.
enum Warning {
  /// The text of a warning as the server sends it, with the place in the query.
  static func text(_ warning: JSON, of query: String) -> String {
    let message = warning["message"]?.stringValue ?? warning.description
    let place = warning["locations"]?[0]
    guard let line = place?["line"]?.intValue.flatMap(Int.init(exactly:)),
      let column = place?["column"]?.intValue.flatMap(Int.init(exactly:))
    else { return "warning: \(message)" }
    return text(message, query, line: line, column: column)
  }

  static func text(_ message: String, _ query: String, line: Int, column: Int) -> String {
    "warning: \(message)\n\(Excerpt.text(query, line: line, column: column))"
  }
}
