internal import ObsCommandLine
internal import ObsWire

/// What is asked: an expression of the language or a registered operation, with its variables.
struct Query: Equatable {
  enum Subject: Equatable {
    case expression(String)
    case operation(String)
  }

  var subject: Subject
  var variables = JSON.Object()

  /// How it is called where several are shown.
  var title: String {
    let text =
      switch subject {
      // On one line, whatever the text looks like.
      case .expression(let text): text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      case .operation(let name): name
      }
    return variables.isEmpty ? text : "\(text) \(JSON.object(variables))"
  }

  /// The text of an expression.
  var text: String? {
    guard case .expression(let text) = subject else { return nil }
    return text
  }

  /// The member of a line that says what was asked.
  var member: JSON.Object.Member {
    switch subject {
    case .expression(let text): ("query", .string(text))
    case .operation(let name): ("operation", .string(name))
    }
  }
}

/// The queries of a command line, each with the variables behind it.
struct QueryArguments: Equatable {
  private(set) var queries: [Query] = []
  /// Variables that stand before the first query are meant for it.
  private var early = JSON.Object()

  mutating func add(_ subject: Query.Subject) throws(CommandLineError) {
    switch subject {
    case .expression(let text) where text.allSatisfy(\.isWhitespace):
      throw CommandLineError("an expression is empty; `@` is the whole document")
    case .operation(""): throw CommandLineError("an operation has an empty name")
    default: queries.append(Query(subject: subject))
    }
  }

  /// Takes `--operation`, `--var` and `--vars`; false for another option.
  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    switch option {
    case "--operation": try add(.operation(try reader.value(of: option)))
    default: return try takeVariables(option, &reader)
    }
    return true
  }

  /// Takes `--var` and `--vars`; false for another option.
  mutating func takeVariables(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    switch option {
    case "--vars", "--variables":
      for (name, value) in try Self.variables(option, try reader.value(of: option)) {
        set(name, value)
      }
    case "--var":
      let (name, value) = try Self.variable(try reader.value(of: option))
      set(name, value)
    default: return false
    }
    return true
  }

  /// Looks at everything together; `example` is how it would be right.
  mutating func finish(_ command: String, _ example: String) throws(CommandLineError) {
    guard !queries.isEmpty else {
      throw CommandLineError("say what is asked, as in `obsctl \(command) \(example)`")
    }
    for (name, value) in early where queries[0].variables[name] == nil {
      queries[0].variables[name] = value
    }
    early = [:]
  }

  private mutating func set(_ name: String, _ value: JSON) {
    if queries.isEmpty {
      early[name] = value
    } else {
      queries[queries.count - 1].variables[name] = value
    }
  }

  private static func variables(
    _ option: String,
    _ text: String
  ) throws(CommandLineError) -> JSON.Object {
    let json: JSON
    do { json = try JSON(parsing: text, limits: .unlimited) } catch {
      throw CommandLineError(
        "\(option) must be a JSON object such as '{\"n\": 3}': \(error.message) "
          + "(line \(error.line), column \(error.column))"
      )
    }
    guard let object = json.objectValue else {
      throw CommandLineError("\(option) must be a JSON object such as '{\"n\": 3}', not \(text)")
    }
    return object
  }

  private static func variable(_ text: String) throws(CommandLineError) -> (String, JSON) {
    // `$name=value` is what somebody writes who has just written the expression.
    let text = text.hasPrefix("$") ? text.dropFirst() : text[...]
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw CommandLineError("--var must be name=value, not `\(text)`")
    }
    let value = String(text[text.index(after: equals)...])
    // What is JSON is taken as JSON, so that numbers are numbers; anything else is text.
    return (String(text[..<equals]), (try? JSON(parsing: value)) ?? .string(value))
  }
}
