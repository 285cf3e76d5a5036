internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl patch`: applies a JSON Patch to the document.
struct PatchCommand: Command, Equatable {
  static let name = "patch"
  static let formats: [Format] = [.value, .pretty]

  var input = Input(path: "-")
  var writing = WriteArguments()
  private var hasInput = false

  init() {}

  mutating func take(_ word: String) throws(CommandLineError) {
    guard !hasInput else { throw Self.surplus(word) }
    hasInput = true
    input = Input(path: word)
  }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    try writing.take(option, &reader)
  }

  func run(_ session: Session) async throws {
    guard let elements = try await input.json().arrayValue else {
      throw Complaint(
        "\(input.name) is no JSON Patch: it must be a list of operations such as "
          + #"[{"op": "replace", "path": "/a", "value": 1}]"#,
        .badData
      )
    }
    try await writing.perform(.patch(elements.map(JSONPatchOperation.init)), session)
  }

  static let help = """
    obsctl patch: applies a JSON Patch (RFC 6902) to the document: all of it or nothing, as one step for every query.

    USAGE
      obsctl patch [FILE|-] [--if-seq N] [--key KEY] [--format FORMAT]

    It reads FILE, or standard input: a JSON list of operations. `test` refuses the patch with `conflict` unless a value
    is there, and so does `add` with "ifAbsent": true when the member is there. Prints rev and seq of the commit; values
    that it caused have that rev. An error names the operation, counted from 0, and the place in the document.

    OPTIONS
    \(Help.writing)
    \(Help.common)

    EXAMPLES
      obsctl patch change.json
      echo '[{"op": "replace", "path": "/issues/i01/state", "value": "closed"}]' | obsctl patch
      obsctl patch - --if-seq 41 < change.json

    """
}

/// What commands that write one commit can be told.
struct WriteArguments: Equatable {
  /// Refuse the commit if what it touches was changed after this place in the log.
  var ifSeq: Int64?
  var key: String?

  /// Takes `--if-seq` and `--key`; false for another option.
  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool {
    switch option {
    case "--if-seq": ifSeq = Int64(try reader.wholeNumber(of: option, atLeast: 0))
    case "--key": key = try reader.key(of: option)
    default: return false
    }
    return true
  }

  /// Sends the commit, and prints rev and seq.
  func perform(_ change: DocumentChange, _ session: Session) async throws {
    let done: Committed
    do throws(ClientError) {
      done = try await session.client.start(change, ifSeq: ifSeq, key: key).answer()
    } catch {
      throw error.code == .cancelled ? error : Complaint(error, operations: change.operations)
    }
    let format = session.options.format ?? (session.output.isTerminal ? .pretty : .value)
    try session.output.show(["rev": .int(done.rev), "seq": .int(done.seq)], as: format)
  }
}

extension DocumentChange {
  /// The operations of a patch.
  var operations: [JSONPatchOperation] {
    guard case .patch(let operations) = self else { return [] }
    return operations
  }
}
