internal import ObsCommandLine
internal import ObsClient
internal import ObsModel
internal import ObsWire

/// `obsctl import`: puts a large file into the document, in commits of bounded size.
struct ImportCommand: Command, Equatable {
  static let name = "import"
  static let formats: [Format] = [.value, .pretty]
  /// How many commits are on their way at once.
  private static let window = 8

  var input: Input?
  var place = JSONPointer(tokens: [])

  mutating func take(_ word: String) throws(CommandLineError) {
    guard input == nil else { throw Self.surplus(word) }
    input = Input(path: word)
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    guard option == "--at" else { return false }
    place = try JSONPointer(argument: try reader.value(of: option))
    return true
  }

  mutating func finish() throws(CommandLineError) {
    guard input == nil else { return }
    throw CommandLineError("say which file, as in `obsctl import data.json`; - is standard input")
  }

  func run(_ session: Session) async throws {
    guard let input else { return }
    let json = try await input.json()
    var pieces = ImportPieces(json, at: place, limits: .init(session.client.state.limits))
    var pipeline = Pipeline(session.client, window: Self.window)
    var progress = Progress("bytes", of: pieces.total, session.output)
    var done = 0
    do {
      while let piece = try pieces.next() {
        try await pipeline.send(piece.change)
        done += piece.bytes
        progress.report(done)
      }
      try await pipeline.finish()
      progress.finish()
    } catch {
      progress.finish()
      let hint =
        "\(pipeline.applied) commits are in the document; the same command again sets the same values, "
        + "so it can be repeated"
      guard let failure = error as? Pipeline.Failure else {
        session.output.note(hint)
        throw error
      }
      var complaint = Complaint(failure.error, operations: failure.change.operations)
      complaint.text += "\n  hint: \(hint)"
      throw complaint
    }
    var summary: JSON.Object = ["commits": .int(Int64(pipeline.applied))]
    if let last = pipeline.last {
      summary["rev"] = .int(last.rev)
      summary["seq"] = .int(last.seq)
    }
    let format = session.options.format ?? (session.output.isTerminal ? .pretty : .value)
    try session.output.show(.object(summary), as: format)
  }

  static let help = """
    obsctl import: puts a file, also a very large one, into the document.

    USAGE
      obsctl import FILE|- [--at POINTER] [--timeout S]

    The file is one JSON document. Its members are set one by one, and so are the records of members that are objects of
    objects; what the document has besides stays, everything else is replaced whole. It goes in commits of bounded
    size, so others are served in between, and live queries see it grow. Standard error tells how far it is: a bar on a
    terminal, a line every two seconds in a pipe. If it ends early, what is there stays: the same command again sets the
    same values. At the end it prints the number of commits with the last rev and seq.

    OPTIONS
      --at POINTER             where; default "": the whole document. What is around the place must be there.
    \(Help.common)

    EXAMPLES
      obsctl import data.json
      obsctl import packages.json --at /packages
      curl -s https://example.org/data.json | obsctl import -

    """
}

extension ImportPieces.Limits {
  /// Keeps within what a server told in its greeting.
  init(_ limits: JSON.Object) {
    self.init()
    if let most = limits["messageBytes"]?.intValue.flatMap(Int.init(exactly:)) {
      message = most
      bytes = min(bytes, max(most / 4, 1))
    }
    if let most = limits["patchOperations"]?.intValue.flatMap(Int.init(exactly:)) {
      operations = max(1, min(operations, most))
    }
  }
}
