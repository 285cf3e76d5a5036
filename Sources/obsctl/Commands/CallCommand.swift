internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl call`: one answer of a command that is registered in Swift, or of a query.
struct CallCommand: Command, Equatable {
  static let name = "call"
  static let formats: [Format] = [.ndjson, .value, .pretty]

  var asked = QueryArguments()
  /// Names the call, so that it can be sent again safely.
  var key: String?

  mutating func take(_ word: String) throws(CommandLineError) {
    if let first = asked.queries.first {
      throw CommandLineError(
        "`obsctl \(Self.name)` takes one operation, but got `\(first.title)` and `\(word)`; "
          + "arguments are given as --var name=value"
      )
    }
    try asked.add(.operation(word))
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    switch option {
    case "--key": key = try reader.key(of: option)
    case "--operation": try take(try reader.value(of: option))
    default: return try asked.takeVariables(option, &reader)
    }
    return true
  }

  mutating func finish() throws(CommandLineError) {
    try asked.finish(Self.name, "NAME; `obsctl describe` lists what there is")
  }

  func run(_ session: Session) async throws {
    guard let query = asked.queries.first, case .operation(let name) = query.subject else { return }
    let answer = try await session.client.call(name, query.variables, as: JSON.self, key: key)
    switch session.options.format ?? (session.output.isTerminal ? .pretty : .value) {
    case .ndjson:
      try session.output.line(
        JSON.object(["operation": .string(name), "data": answer]).description
      )
    case let format: try session.output.show(answer, as: format)
    }
  }

  static let help = """
    obsctl call: calls a command that is registered in Swift, or asks a registered query once, and prints the answer.

    USAGE
      obsctl call NAME [--var name=value …] [--key KEY] [--timeout S] [--format FORMAT]

    OPTIONS
      NAME, --operation NAME   the operation
      --var name=value         one argument; what is JSON is sent as JSON, anything else as text
      --vars JSON              all arguments as a JSON object
      --key KEY                names this call: it may then be sent again after a lost connection, and is done once
    \(Help.common)

    EXAMPLES
      obsctl call setState --var id=SE-0475 --var state=accepted
      obsctl call inReview --format value

    Without --format: pretty on a terminal, value in a pipe.

    """
}
