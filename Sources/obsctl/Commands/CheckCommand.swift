internal import ObsCommandLine
internal import ObsQuery
internal import ObsWire

/// `obsctl check`: an expression without a server: is it right, and what does it make of a file.
struct CheckCommand: Command, Equatable {
  static let name = "check"
  static let formats: [Format] = [.text, .value, .json]
  static let isOffline = true

  var asked = QueryArguments()
  var input: Input?

  mutating func take(_ word: String) throws(CommandLineError) {
    if asked.queries.isEmpty { return try asked.add(.expression(word)) }
    guard input == nil else { throw Self.surplus(word) }
    input = Input(path: word)
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    try asked.takeVariables(option, &reader)
  }

  mutating func finish() throws(CommandLineError) {
    try asked.finish(Self.name, "'length(issues)' [FILE]")
  }

  func run(_ session: Session) async throws {
    let query = asked.queries[0]
    let text = query.text ?? ""
    let output = session.output
    let format = session.options.format ?? .text
    // A value is wanted, so there must be something to evaluate on.
    let input = input ?? (format == .value ? Input(path: "-") : nil)
    do {
      let expression = try Expression(parsing: text, limits: .default)
      for warning in expression.warnings where format != .json {
        output.note(
          Warning.text(warning.message, text, line: warning.line, column: warning.column)
        )
      }
      var findings = Findings(expression)
      if let input { findings.value = try evaluate(expression, try await input.json()) }
      switch format {
      case .value: try output.line((findings.value ?? .null).description)
      case .json: try output.line(findings.json.description)
      default: try output.line(findings.text.printable)
      }
    } catch let error as QueryError {
      throw Complaint(error, query: text)
    }
  }

  private func evaluate(_ expression: Expression, _ json: JSON) throws(QueryError) -> JSON {
    let prepared = try PreparedQuery(expression, variables: asked.queries[0].variables)
    let value = try prepared.evaluate(Value(json), limits: .default)
    var writer = JSONWriter()
    try value.write(to: &writer, limit: EvaluationLimits.default.resultBytes)
    return value.json
  }

  static let help = """
    obsctl check: looks at an expression without a server, and evaluates it on a file when one is given.

    USAGE
      obsctl check 'EXPR' [FILE|-] [--var name=value …] [--format text|value|json]

    It says whether the expression is right, what in it is probably not meant, its shortest spelling, the variables that
    it needs and its degree. With FILE (a JSON document; `-` is standard input) it evaluates, with the limits that
    servers have by default. Exit code 65 for a bad expression or a bad document, also when there is no value.

    OPTIONS
    \(Help.variables)
      --format value           prints the value alone, as JSON; without FILE it reads standard input
      --format json            everything as one JSON object
      --timeout S              give up after S seconds, with exit code 75

    EXAMPLES
      obsctl check 'issues[?state = open]'
      obsctl check 'length(values(issues)[?state == $s])' data.json --var s=open
      curl -s https://example.org/data.json | obsctl check 'keys(@)' --format value

    """
}

/// What is known of an expression without a server.
struct Findings {
  private let expression: Expression
  var value: JSON?

  init(_ expression: Expression) { self.expression = expression }

  var text: String {
    var lines = ["query      \(expression.canonicalText)"]
    if !expression.variableNames.isEmpty {
      let names = expression.variableNames.map { "$" + $0 }
      lines.append("variables  \(names.joined(separator: ", "))")
    }
    lines.append("degree     \(expression.nestingDegree)")
    if let value { lines.append(value.pretty()) }
    return lines.joined(separator: "\n")
  }

  var json: JSON {
    let warnings = expression.warnings.map { warning -> JSON in
      ["message": .string(warning.message), "offset": .int(Int64(warning.offset))]
    }
    var object: JSON.Object = [
      "query": .string(expression.canonicalText),
      "variables": .array(expression.variableNames.map(JSON.string)),
      "degree": .int(Int64(expression.nestingDegree)),
      "warnings": .array(warnings),
    ]
    if let value { object["value"] = value }
    return .object(object)
  }
}
