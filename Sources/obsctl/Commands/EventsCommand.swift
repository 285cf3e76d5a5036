internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl events`: the events of a stream, every one.
struct EventsCommand: Command, Equatable {
  static let name = "events"
  static let formats: [Format] = [.ndjson, .value, .pretty]
  static let isEndless = true

  var asked = QueryArguments()
  /// End after so many events.
  var count: Int?

  mutating func take(_ word: String) throws(CommandLineError) {
    guard asked.queries.isEmpty else { throw Self.surplus(word) }
    try asked.add(.operation(word))
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    switch option {
    case "--count": count = try reader.wholeNumber(of: option, atLeast: 1)
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
    var shown = 0
    for try await event in session.client.events(name, query.variables, as: JSON.self).numbered {
      switch session.options.format ?? .ndjson {
      case .ndjson:
        var line: JSON.Object = ["operation": .string(name), "data": event.value]
        if let number = event.number { line["event"] = .int(number) }
        if event.isAfterGap { line["gap"] = true }
        try session.output.line(JSON.object(line).description)
      case let format: try session.output.show(event.value, as: format)
      }
      shown += 1
      if shown == count { return }
    }
  }

  static let help = """
    obsctl events: writes every event of a stream, in order, one line each.

    USAGE
      obsctl events NAME [--var name=value …] [--count N] [--timeout S] [--format FORMAT]

    OPTIONS
      NAME, --operation NAME   the stream
      --var name=value         one argument; what is JSON is sent as JSON, anything else as text
      --vars JSON              all arguments as a JSON object
      --count N                end after N events
    \(Help.common)

    EXAMPLES
      obsctl events transitions
      obsctl events transitions --count 10 --format value | jq -r .title

    A LINE OF --format ndjson (the default)
      {"data":{…},"event":7,"operation":"transitions"}
      {"data":{…},"event":1,"gap":true,"operation":"transitions"}   the connection was lost before this one: events
                                                                    may be missing
    If the reader is so slow that events would be lost, obsctl ends with the error `overflow`.

    """
}
