internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl replay`: applies a history, one commit a line.
struct ReplayCommand: Command, Equatable {
  static let name = "replay"
  static let formats: [Format] = [.value, .pretty]
  /// How many commits are on their way at once.
  static let window = 64

  var input: Input?
  /// Commits a second.
  var rate: Double?
  /// The first line that is applied.
  var from = 1

  mutating func take(_ word: String) throws(CommandLineError) {
    guard input == nil else { throw Self.surplus(word) }
    input = Input(path: word)
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    switch option {
    case "--rate": rate = try reader.positiveNumber(of: option, "of commits a second")
    case "--from": from = try reader.wholeNumber(of: option, atLeast: 1)
    default: return false
    }
    return true
  }

  mutating func finish() throws(CommandLineError) {
    guard input == nil else { return }
    throw CommandLineError(
      "say which history, as in `obsctl replay history.ndjson`; - is standard input"
    )
  }

  func run(_ session: Session) async throws {
    guard let input else { return }
    var pipeline = Pipeline(session.client, window: Self.window, perSecond: rate)
    var progress = Progress("commits", of: nil, session.output)
    // The line of each commit, by its number from 0.
    var places: [Int] = []
    var line = 0
    do {
      var lines = try await input.lines()
      while let text = await lines.next() {
        line += 1
        guard line >= from, !text.allSatisfy(\.isWhitespace) else { continue }
        let change = try Self.change(text, "\(input.name), line \(line)")
        places.append(line)
        try await pipeline.send(change)
        progress.report(places.count)
      }
      try await pipeline.finish()
      progress.finish()
    } catch {
      progress.finish()
      throw try await explained(error, &pipeline, places)
    }
    if Task.isCancelled { throw CancellationError() }
    var summary: JSON.Object = ["commits": .int(Int64(pipeline.applied))]
    if let last = pipeline.last {
      summary["rev"] = .int(last.rev)
      summary["seq"] = .int(last.seq)
    }
    let format = session.options.format ?? (session.output.isTerminal ? .pretty : .value)
    try session.output.show(.object(summary), as: format)
  }

  /// Says what is applied, and how to go on.
  private func explained(
    _ error: any Error,
    _ pipeline: inout Pipeline,
    _ places: [Int]
  ) async throws -> any Error {
    switch error {
    case let failure as Pipeline.Failure:
      let line = places[failure.number - 1]
      var complaint = Complaint(failure.error, operations: failure.change.operations)
      complaint.text =
        "line \(line): \(complaint.text)\n  hint: \(pipeline.applied) commits before it are applied"
      if failure.appliedAfter > 0 {
        complaint.text += ", and \(failure.appliedAfter) that were on their way behind it"
      } else {
        complaint.text += "; go on with --from \(line)"
      }
      return complaint
    case var complaint as Complaint:
      // A bad line: what stands before it is on its way.
      do { try await pipeline.finish() } catch {
        return try await explained(error, &pipeline, places)
      }
      complaint.text += "\n  hint: \(pipeline.applied) commits before it are applied"
      return complaint
    default: return error
    }
  }

  /// Reads a line: `{"ops": […]}`, or a patch alone.
  private static func change(_ text: String, _ name: String) throws(Complaint) -> DocumentChange {
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: text, limits: .unlimited)
    } catch {
      // The line is known; the place in it is a column.
      throw Complaint(
        "\(name) is no JSON that can be taken: \(error.message) (column \(error.column))",
        .badData
      )
    }
    guard let operations = (json["ops"] ?? json).arrayValue else {
      throw Complaint(
        "\(name) is no commit: it must be an object with a list \"ops\", or a list of operations",
        .badData
      )
    }
    return .patch(operations.map(JSONPatchOperation.init))
  }

  static let help = """
    obsctl replay: applies a history to the document: a file with one commit a line, in order.

    USAGE
      obsctl replay FILE.ndjson|- [--rate N] [--from LINE] [--timeout S]

    A line is an object with a JSON Patch as `ops` (other members, such as a time, are ignored), or a JSON Patch alone.
    Without --rate it goes as fast as the server takes it: up to \(window) commits are on their way at once, and never more
    a second than the server's limits allow. The first commit that is refused ends it; those that are on their way
    behind it are still tried. At the end it prints the number of commits with the last rev and seq.

    OPTIONS
      --rate N                 N commits a second
      --from LINE              begins with this line, counted from 1: to go on where it ended
    \(Help.common)

    EXAMPLES
      echo '{"proposals": {}}' | obsctl merge ""
      obsctl replay swift-evolution-history.ndjson
      obsctl replay swift-evolution-history.ndjson --rate 20
      tail -f changes.ndjson | obsctl replay -

    """
}
