internal import ObsCommandLine
internal import ObsWire

/// What a command line asks for.
struct Invocation: Equatable {
  enum Command: String, CaseIterable {
    case watch, call, events, describe
  }

  enum Format: String, CaseIterable {
    /// One JSON object a line: operation, data, rev …
    case ndjson
    /// One JSON value a line, and nothing else.
    case value
    /// JSON over several lines, for people.
    case pretty
  }

  /// An operation with its arguments.
  struct Query: Equatable {
    var operation: String
    var variables = JSON.Object()
  }

  static let defaultURL = "ws://127.0.0.1:8080/ws"

  var command: Command
  var queries: [Query] = []
  var url: String
  var token: String?
  var format: Format?
  /// End after so many values or events.
  var count: Int?
  /// End with ``ExitCode/timeout`` after this time.
  var timeout: Duration?
  /// Names the call, so that it can be sent again safely.
  var key: String?
  var certificateAuthorityFile: String?
  var acceptsAnyCertificate = false
}

extension Invocation {
  /// What a command line can be: a command, or a question about obsctl itself.
  enum Request: Equatable {
    case run(Invocation)
    /// nil: of obsctl as a whole.
    case help(Command?)
    case version
  }

  /// Reads a command line without the program's name.
  ///
  /// - Parameters:
  ///   - arguments: the command line.
  ///   - environment: where `OBS_URL` and `OBS_TOKEN` may be.
  /// - Returns: what is asked for.
  /// - Throws: what is wrong, and what to do.
  static func parse(
    _ arguments: some Sequence<String>,
    environment: [String: String]
  ) throws(CommandLineError) -> Request {
    var reader = ArgumentReader(arguments)
    guard let first = try reader.next() else {
      throw CommandLineError("a command is missing: watch, call, events or describe")
    }
    let command: Command
    switch first {
    case .option("--help"), .word("help"): return .help(nil)
    case .option("--version"), .word("version"): return .version
    case .option(let option):
      throw CommandLineError("the command comes first, then options such as \(option)")
    case .word(let word):
      guard let known = Command(rawValue: word) else {
        throw CommandLineError(
          "there is no command `\(word)`; there are watch, call, events and describe"
        )
      }
      command = known
    }
    var invocation = Invocation(
      command: command,
      url: environment["OBS_URL"].nonEmpty ?? defaultURL,
      token: environment["OBS_TOKEN"].nonEmpty
    )
    // Variables that stand before the first operation are meant for it.
    var early = JSON.Object()
    while let argument = try reader.next() {
      switch argument {
      case .option("--help"): return .help(command)
      case .word(let name): try invocation.add(name)
      case .option("--operation"): try invocation.add(try reader.value(of: "--operation"))
      case .option("--variables"):
        let variables = try variables(try reader.value(of: "--variables"))
        for (name, value) in variables { invocation.set(name, value, early: &early) }
      case .option("--var"):
        let (name, value) = try variable(try reader.value(of: "--var"))
        invocation.set(name, value, early: &early)
      case .option(let option): try invocation.apply(option, &reader)
      }
    }
    return .run(try invocation.checked(early))
  }

  private mutating func apply(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) {
    switch (option, command) {
    case ("--url", _): url = try reader.value(of: option)
    case ("--token", _): token = try reader.value(of: option)
    case ("--ca", _): certificateAuthorityFile = try reader.value(of: option)
    case ("--insecure", _): acceptsAnyCertificate = true
    case ("--timeout", _): timeout = try Self.seconds(try reader.value(of: option))
    case ("--format", _): format = try Self.format(try reader.value(of: option))
    case ("--count", .watch), ("--count", .events):
      count = try Self.count(try reader.value(of: option))
    case ("--key", .call): key = try reader.value(of: option)
    default:
      throw CommandLineError(
        "`obsctl \(command.rawValue)` has no option \(option); see `obsctl \(command.rawValue) --help`"
      )
    }
  }

  private mutating func add(_ operation: String) throws(CommandLineError) {
    guard command != .describe else {
      throw CommandLineError("`obsctl describe` takes no operation, but got `\(operation)`")
    }
    guard !operation.isEmpty else { throw CommandLineError("an operation has an empty name") }
    guard command == .watch || queries.isEmpty else {
      throw CommandLineError(
        "`obsctl \(command.rawValue)` takes one operation, but got `\(queries[0].operation)` and `\(operation)`; "
          + "arguments are given as --var name=value"
      )
    }
    queries.append(Query(operation: operation))
  }

  private mutating func set(_ name: String, _ value: JSON, early: inout JSON.Object) {
    if queries.isEmpty {
      early[name] = value
    } else {
      queries[queries.count - 1].variables[name] = value
    }
  }

  private func checked(_ early: JSON.Object) throws(CommandLineError) -> Invocation {
    var checked = self
    guard command != .describe else {
      guard early.isEmpty else { throw CommandLineError("`obsctl describe` takes no variables") }
      return checked
    }
    guard !queries.isEmpty else {
      throw CommandLineError(
        "say which operation, as in `obsctl \(command.rawValue) NAME`; `obsctl describe` lists what there is"
      )
    }
    checked.queries[0].variables = early
    for (name, value) in queries[0].variables { checked.queries[0].variables[name] = value }
    return checked
  }

  // MARK: Values of options

  private static func variables(_ text: String) throws(CommandLineError) -> JSON.Object {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: text) } catch {
      throw CommandLineError(
        "--variables must be a JSON object such as '{\"n\": 3}': \(error.message) "
          + "(line \(error.line), column \(error.column))"
      )
    }
    guard let object = json.objectValue else {
      throw CommandLineError("--variables must be a JSON object such as '{\"n\": 3}', not \(text)")
    }
    return object
  }

  private static func variable(_ text: String) throws(CommandLineError) -> (String, JSON) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw CommandLineError("--var must be name=value, not `\(text)`")
    }
    let value = String(text[text.index(after: equals)...])
    // What is JSON is taken as JSON, so that numbers are numbers; anything else is text.
    return (String(text[..<equals]), (try? JSON(parsing: value)) ?? .string(value))
  }

  private static func seconds(_ text: String) throws(CommandLineError) -> Duration {
    guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
      throw CommandLineError("--timeout must be a number of seconds above 0, not `\(text)`")
    }
    return .seconds(seconds)
  }

  private static func count(_ text: String) throws(CommandLineError) -> Int {
    guard let count = Int(text), count > 0 else {
      throw CommandLineError("--count must be a whole number above 0, not `\(text)`")
    }
    return count
  }

  private static func format(_ text: String) throws(CommandLineError) -> Format {
    guard let format = Format(rawValue: text) else {
      throw CommandLineError("--format must be ndjson, value or pretty, not `\(text)`")
    }
    return format
  }
}

extension String? {
  fileprivate var nonEmpty: String? {
    guard let self, !self.isEmpty else { return nil }
    return self
  }
}
