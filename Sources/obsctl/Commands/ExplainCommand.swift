internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl explain`: what a query reads and costs, and what causes each of its values.
struct ExplainCommand: Command, Equatable {
  static let name = "explain"
  static let formats: [Format] = [.text, .json]
  static let isEndless = true

  var asked = QueryArguments()
  /// End after so many values.
  var count: Int?

  mutating func take(_ word: String) throws(CommandLineError) {
    guard asked.queries.isEmpty else { throw Self.surplus(word) }
    try asked.add(.expression(word))
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    guard option == "--count" else { return try asked.takeVariables(option, &reader) }
    count = try reader.wholeNumber(of: option, atLeast: 1)
    return true
  }

  mutating func finish() throws(CommandLineError) {
    try asked.finish(Self.name, "'length(issues)'")
  }

  func run(_ session: Session) async throws {
    let query = asked.queries[0]
    var frames = query.frames(session.client, explain: true).makeAsyncIterator()
    var explanation = Explanation(query)
    var shown = 0
    while shown != count {
      shown += 1
      let frame: Frame<JSON>
      do throws(ClientError) {
        guard let next = try await frames.next() else { return }
        frame = next
      } catch  where error.mayHeal {
        session.output.note("no value: \(Complaint(error, query: query.text).text)")
        continue
      } catch {
        throw query.complaint(error)
      }
      try session.output.line(
        session.options.format == .json
          ? JSON.object(["data": frame.value, "extensions": .object(frame.extensions)]).description
          : explanation.text(frame)
      )
    }
  }

  static let help = """
    obsctl explain: shows what a query comes to, what it reads and costs, and then what causes each new value.

    USAGE
      obsctl explain 'EXPR' [--var name=value …] [--count N] [--timeout S] [--format text|json]

    It first says: the query in its shortest spelling (equal ones share one evaluation), its degree (the work is at most
    c · n^degree), the steps and new elements of the evaluation against the server's budget, what it read (a change of
    anything else costs nothing), and how many subscribers share it. Then one line for each value, with its cause.

    OPTIONS
    \(Help.variables)
      --count N                end after N values; 1: only what the query is now
      --format json            one JSON object a value, with all that the server says
    \(Help.common)

    EXAMPLES
      obsctl explain 'length(values(issues)[?state == $s])' --var s=open
      obsctl explain 'sort_by(values(issues), &votes)[-3:].title' --count 1

    """
}

/// What the server says of a query, in words.
struct Explanation {
  private let query: Query
  private var isFirst = true

  init(_ query: Query) { self.query = query }

  /// The text for a value: everything for the first, then what is new.
  mutating func text(_ frame: Frame<JSON>) -> String {
    let facts = frame.extensions["explain"]
    let cost = "\(count(facts, "steps")) steps, \(count(facts, "elements")) elements"
    guard isFirst else {
      let other = facts?["modelReads"] == nil ? "–" : "a property of a hosted model"
      let cause = facts?["cause"]?.stringValue ?? other
      return "rev \(frame.rev)  \(frame.value.shortened)\n       caused by \(cause); \(cost)"
        .printable
    }
    isFirst = false
    var lines = [
      "query        \(facts?["query"]?.stringValue ?? query.title)",
      "degree       \(count(facts, "degree"))",
      "cost         \(cost)",
      "subscribers  \(count(facts, "subscribers"))",
    ]
    if !query.variables.isEmpty {
      lines.insert("variables    \(JSON.object(query.variables))", at: 1)
    }
    if let functions = facts?["functions"]?.arrayValue, !functions.isEmpty {
      lines.append("functions    \(functions.compactMap(\.stringValue).joined(separator: ", "))")
    }
    let reads = ["reads", "modelReads"].flatMap { name in
      facts?[name]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    lines.append("reads        \(reads.first ?? "nothing that can change")")
    lines += reads.dropFirst().prefix(39).map { "             \($0)" }
    if reads.count > 40 { lines.append("             and \(reads.count - 40) more") }
    for warning in frame.extensions["warnings"]?.arrayValue ?? [] {
      lines.append(Warning.text(warning, of: query.text ?? ""))
    }
    lines.append("rev \(frame.rev)  \(frame.value.shortened)")
    return lines.joined(separator: "\n").printable
  }

  private func count(_ facts: JSON?, _ name: String) -> String {
    facts?[name]?.intValue.map { Progress.grouped(Int($0)) } ?? "?"
  }
}
