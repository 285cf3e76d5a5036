internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl describe`: what there is to ask.
struct DescribeCommand: Command, Equatable {
  static let name = "describe"
  static let formats: [Format] = [.text, .json, .value, .pretty]

  mutating func take(_ word: String) throws(CommandLineError) {
    throw CommandLineError("`obsctl describe` takes no operation, but got `\(word)`")
  }

  func run(_ session: Session) async throws {
    let description = try await session.client.describe()
    switch session.options.format ?? .text {
    case .text: try session.output.line(Description(description).text.printable)
    case let format: try session.output.show(description, as: format)
    }
  }

  static let help = """
    obsctl describe: shows what there is to ask: the document and the models with their shape, functions, operations
    with their arguments, and queries that work.

    USAGE
      obsctl describe [--url URL] [--format text|json|pretty]

    OPTIONS
      --format json            all that the server says, as JSON on one line
    \(Help.common)

    EXAMPLES
      obsctl describe
      obsctl describe --format json | jq -r '.operations[].name'

    """
}

/// What a server says of itself, in words and columns.
struct Description {
  private let json: JSON

  init(_ json: JSON) { self.json = json }

  var text: String {
    var sections: [String] = []
    add("DATA", shape, to: &sections)
    add("FUNCTIONS (beside those of the language)", functions, to: &sections)
    add("OPERATIONS", operations, to: &sections)
    add("EXAMPLES", examples, to: &sections)
    return sections.isEmpty
      ? "The server has neither data nor operations." : sections.joined(separator: "\n\n")
  }

  private func add(_ title: String, _ lines: [String], to sections: inout [String]) {
    guard !lines.isEmpty else { return }
    sections.append(([title] + lines.map { "  " + $0 }).joined(separator: "\n"))
  }

  private var shape: [String] {
    let members = json["shape"]?.objectValue ?? [:]
    return Self.columns(members.map { ($0.key, Self.shape($0.value)) })
  }

  private static func shape(_ shape: JSON) -> String {
    guard let object = shape.objectValue else { return shape.stringValue ?? shape.description }
    let count = object["count"]?.intValue.map { Progress.grouped(Int($0)) }
    for (name, noun) in [("collection", "records by key"), ("elements", "records in a list")] {
      guard let fields = object[name]?.objectValue else { continue }
      let named = fields.map { "\($0.key): \(Self.shape($0.value))" }.joined(separator: ", ")
      return "\(count ?? "") \(noun) {\(named)}"
    }
    if let count, object.count <= 2 {
      return object["array"] == true ? "list of \(count)" : "object of \(count)"
    }
    return "{" + object.map { "\($0.key): \(Self.shape($0.value))" }.joined(separator: ", ") + "}"
  }

  private var functions: [String] {
    json["language"]?["functions"]?.arrayValue?.compactMap(\.stringValue).map { "\($0)(…)" } ?? []
  }

  private var operations: [String] {
    Self.columns(
      (json["operations"]?.arrayValue ?? []).map { operation in
        let kind = operation["kind"]?.stringValue ?? ""
        let arguments = (operation["arguments"]?.objectValue ?? [:])
          .map { "\($0.key): \($0.value.stringValue ?? $0.value.description)" }
        return (
          "\(kind.padded(to: 8)) \(operation["name"]?.stringValue ?? "")",
          arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        )
      }
    )
  }

  private var examples: [String] {
    (json["examples"]?.arrayValue ?? []).compactMap(\.stringValue)
      .map { "obsctl watch '\($0.replacing("'", with: #"'\''"#))'" }
  }

  private static func columns(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { row in
      row.1.isEmpty ? row.0 : "\(row.0.padded(to: width))  \(row.1)"
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
