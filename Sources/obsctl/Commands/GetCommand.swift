internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl get`: the value of a query now.
struct GetCommand: Command, Equatable {
  static let name = "get"
  static let formats: [Format] = [.ndjson, .value, .pretty]

  var asked = QueryArguments()

  mutating func take(_ word: String) throws(CommandLineError) {
    guard asked.queries.isEmpty else { throw Self.surplus(word) }
    try asked.add(.expression(word))
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    try asked.takeVariables(option, &reader)
  }

  mutating func finish() throws(CommandLineError) {
    try asked.finish(Self.name, "'issues.i01'")
  }

  func run(_ session: Session) async throws {
    let query = asked.queries[0]
    let frame: Frame<JSON>
    do {
      frame = try await session.client.frame(query: query.text ?? "", query.variables)
    } catch {
      throw query.complaint(error)
    }
    for warning in frame.extensions["warnings"]?.arrayValue ?? [] {
      session.output.note(Warning.text(warning, of: query.text ?? ""))
    }
    if frame.value.isNull { await query.tellOfOperation(session) }
    switch session.options.format ?? (session.output.isTerminal ? .pretty : .value) {
    case .ndjson: try session.output.line(JSON.object(frame.line(of: query)).description)
    case let format: try session.output.show(frame.value, as: format)
    }
  }

  static let help = """
    obsctl get: prints the value of a query now.

    USAGE
      obsctl get 'EXPR' [--var name=value …] [--timeout S] [--format FORMAT]

    OPTIONS
    \(Help.variables)
    \(Help.common)

    EXAMPLES
      obsctl get 'issues.i01'
      obsctl get 'length(values(issues)[?state == $s])' --var s=open --format value
      obsctl get 'keys(@)'                                                 the members of the document
      obsctl get 'issues.i01' --format ndjson | jq .seq                    for --if-seq of patch and merge

    Without --format: pretty on a terminal, value in a pipe.

    """
}
