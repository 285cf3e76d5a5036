internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl watch`: the values of live queries, as they change.
struct WatchCommand: Command, Equatable {
  static let name = "watch"
  static let formats: [Format] = [.ndjson, .value, .pretty]
  static let isEndless = true

  var asked = QueryArguments()
  /// End after so many values.
  var count: Int?

  mutating func take(_ word: String) throws(CommandLineError) {
    try asked.add(.expression(word))
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    guard option == "--count" else { return try asked.take(option, &reader) }
    count = try reader.wholeNumber(of: option, atLeast: 1)
    return true
  }

  mutating func finish() throws(CommandLineError) {
    try asked.finish(Self.name, "'length(issues)'")
  }

  func run(_ session: Session) async throws {
    let lines = Lines(asked.queries, limit: count, session)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for (index, query) in asked.queries.enumerated() {
        group.addTask { try await watch(query, at: index, session, lines) }
      }
      // Done when the count is reached, or when every query has finished.
      while let isEnough = try await group.next() {
        if isEnough { break }
      }
      group.cancelAll()
    }
  }

  /// Returns true when `--count` is reached, false when the query has finished.
  private func watch(
    _ query: Query,
    at index: Int,
    _ session: Session,
    _ lines: Lines
  ) async throws -> Bool {
    var frames = query.frames(session.client).makeAsyncIterator()
    var isFirst = true
    while true {
      let next: Result<Frame<JSON>?, ClientError>
      do throws(ClientError) { next = .success(try await frames.next()) } catch {
        next = .failure(error)
      }
      switch next {
      case .success(nil): return false
      case .success(let frame?):
        if isFirst, frame.value.isNull { await query.tellOfOperation(session) }
        if try await lines.add(frame, at: index) { return true }
      case .failure(let error) where error.mayHeal:
        // The query has no value at present: a state of it like any other.
        if try await lines.add(error, at: index) { return true }
      case .failure(let error): throw query.complaint(error)
      }
      isFirst = false
    }
  }

  static let help = """
    obsctl watch: shows the values of one or more live queries, the first at once, then the newest after each change.

    USAGE
      obsctl watch 'EXPR' [--var name=value …] ['EXPR' …] [--count N] [--timeout S] [--format FORMAT]
      obsctl watch --operation NAME [--var name=value …] …

    EXPR is JMESPath over the server's document and models. On a terminal each query has one line, which is drawn again
    when its value changes. In a pipe, or with --format, each value is written as one line and flushed. A reader that
    is slow gets fewer values, never old ones; `skipped` says how many states were passed over. A lost connection is made
    again, which stderr tells; it also tells what in an expression is probably not meant.

    OPTIONS
      --operation NAME         a query registered in Swift, in place of an expression
    \(Help.variables)
      --count N                end after N values
    \(Help.common)

    EXAMPLES
      obsctl watch 'length(issues)'
      obsctl watch 'length(values(issues)[?state == $s])' --var s=open
      obsctl watch 'sort_by(values(issues), &votes)[-3:].title' 'length(issues)'
      obsctl watch --operation newest --vars '{"limit": 3}'
      obsctl watch 'length(issues)' --count 1 --timeout 5 --format value
      obsctl watch 'issues.i01' | jq -r '[.rev, .data.state] | @tsv'

    A LINE OF --format ndjson (the default in a pipe)
      {"data":17,"query":"length(issues)","rev":41,"seq":12,"skipped":2}
      {"errors":[…],"query":"sum(issues)"}     the query has no value at present; one may follow

    """
}

extension Query {
  /// Its values, as they change.
  func frames(_ client: Client, explain: Bool = false) -> Frames<JSON> {
    switch subject {
    case .expression(let text): client.frames(query: text, variables, explain: explain)
    case .operation(let name): client.frames(name, variables)
    }
  }

  /// An error in words, with the place in the text.
  func complaint(_ error: ClientError) -> any Error {
    error.code == .cancelled ? error : Complaint(error, query: text)
  }

  /// Tells of a registered operation whose name somebody took for an expression: then the value is null.
  func tellOfOperation(_ session: Session) async {
    guard let text, text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
      let operations = try? await session.client.describe()["operations"]?.arrayValue,
      operations.contains(where: { $0["name"] == .string(text) })
    else { return }
    session.output.note(
      "`\(text)` is null here; there is an operation of that name: --operation \(text)"
    )
  }
}
