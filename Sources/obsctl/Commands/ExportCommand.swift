internal import ObsCommandLine
internal import Foundation
internal import ObsClient
internal import ObsModel
internal import ObsWire

/// `obsctl export`: writes the document, or a part of it.
struct ExportCommand: Command, Equatable {
  static let name = "export"
  static let formats: [Format] = [.value, .pretty]

  var place: JSONPointer?
  var file: String?

  mutating func take(_ word: String) throws(CommandLineError) {
    guard place != nil else { return place = try JSONPointer(argument: word) }
    guard file == nil else { throw Self.surplus(word) }
    file = word
  }

  func run(_ session: Session) async throws {
    let value = try await DocumentReader(session).read(place ?? JSONPointer(tokens: []))
    let text = (session.options.format == .pretty ? value.pretty() : value.description) + "\n"
    guard let file, file != "-" else { return try session.output.write(text) }
    do {
      try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    } catch {
      throw Complaint("cannot write \(file): \(error.localizedDescription)", .cannotCreate)
    }
    session.output.note("\(Progress.bytes(text.utf8.count)) in \(file)")
  }

  static let help = """
    obsctl export: writes the document, or what is at a place of it, as JSON of one moment.

    USAGE
      obsctl export [POINTER] [FILE] [--format value|pretty]

    POINTER is a JSON Pointer such as /issues; "" (the default) is the whole document. Without FILE it writes to standard
    output. A value that is larger than the server's limit is read in parts; when a commit comes in between, they are
    read again, since parts of two moments would be a mixture. Exit code 65 when nothing is at the place.

    OPTIONS
      --format pretty          over several lines; default value: on one line
    \(Help.common)

    EXAMPLES
      obsctl export > backup.json
      obsctl export /issues issues.json
      obsctl export /issues/i01 --format pretty

    """
}
