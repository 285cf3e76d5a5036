internal import ObsCommandLine
internal import ObsClient
internal import ObsModel

/// `obsctl merge`: applies a JSON Merge Patch to what is at a place of the document.
struct MergeCommand: Command, Equatable {
  static let name = "merge"
  static let formats: [Format] = [.value, .pretty]

  var pointer: JSONPointer?
  var input: Input?
  var writing = WriteArguments()

  mutating func take(_ word: String) throws(CommandLineError) {
    guard pointer != nil else { return pointer = try JSONPointer(argument: word) }
    guard input == nil else { throw Self.surplus(word) }
    input = Input(path: word)
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    try writing.take(option, &reader)
  }

  mutating func finish() throws(CommandLineError) {
    guard pointer == nil else { return }
    throw CommandLineError(
      "say where, as in `obsctl merge /issues/i01 change.json`; \"\" is the whole document"
    )
  }

  func run(_ session: Session) async throws {
    let value = try await (input ?? Input(path: "-")).json()
    try await writing.perform(.merge(at: pointer?.description ?? "", value), session)
  }

  static let help = """
    obsctl merge: applies a JSON Merge Patch (RFC 7396) to what is at a place of the document, as one step.

    USAGE
      obsctl merge POINTER [FILE|-] [--if-seq N] [--key KEY] [--format FORMAT]

    POINTER is a JSON Pointer such as /issues/i01; "" is the whole document; in it `~1` is a slash and `~0` a tilde.
    It reads FILE, or standard input. Members are set, members that are null are removed, lists are replaced whole;
    null itself cannot be stored (`obsctl patch` can). Prints rev and seq of the commit.

    OPTIONS
    \(Help.writing)
    \(Help.common)

    EXAMPLES
      echo '{"state": "closed", "assignee": null}' | obsctl merge /issues/i01
      obsctl merge "" settings.json

    """
}

extension JSONPointer {
  /// Reads a pointer of the command line.
  init(argument: String) throws(CommandLineError) {
    do { try self.init(argument) } catch {
      throw CommandLineError(
        "\(error.message); such as /issues/i01, and \"\" is the whole document"
      )
    }
  }
}
