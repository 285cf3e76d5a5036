internal import Foundation
internal import ObsCommandLine
internal import ObsClient
internal import ObsWire

/// `obsctl backup`: a copy of a running server's data, as of one moment.
struct BackupCommand: Command, Equatable {
  static let name = "backup"
  static let formats: [Format] = []

  var file: String?

  mutating func take(_ word: String) throws(CommandLineError) {
    guard file == nil else { throw Self.surplus(word) }
    file = word
  }

  mutating func finish() throws(CommandLineError) {
    guard file == nil else { return }
    throw CommandLineError("say where to, as in `obsctl backup obs.backup`; - is standard output")
  }

  func run(_ session: Session) async throws {
    guard let file else { return }
    let url = try Self.address(session.options)
    guard file != "-" else {
      return try await copy(url, session, to: .standardOutput)
    }
    // Under another name until it is whole: what has the name is a backup.
    let part = file + ".part"
    guard FileManager.default.createFile(atPath: part, contents: nil),
      let handle = FileHandle(forWritingAtPath: part)
    else { throw Complaint("cannot write \(part)", .cannotCreate) }
    do {
      try await copy(url, session, to: handle)
      try handle.synchronize()
      try handle.close()
      if FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
      try FileManager.default.moveItem(atPath: part, toPath: file)
    } catch {
      try? FileManager.default.removeItem(atPath: part)
      throw error
    }
  }

  /// `ws://HOST:PORT/…` as the address of the backup.
  private static func address(_ options: Invocation.Options) throws -> URL {
    guard options.certificateAuthorityFile == nil, !options.acceptsAnyCertificate else {
      throw Complaint(
        "backup takes certificates of known authorities only; "
          + "`curl --cacert FILE https://127.0.0.1:PORT/admin/backup > obs.backup` does the same",
        .usage
      )
    }
    var parts = URLComponents(string: options.url)
    let isSecure = parts?.scheme == "wss"
    parts?.scheme = isSecure ? "https" : "http"
    parts?.path = "/admin/backup"
    parts?.query = nil
    guard let url = parts?.url else {
      throw Complaint("\(options.url) is no address of a server", .usage)
    }
    return url
  }

  private func copy(_ url: URL, _ session: Session, to handle: FileHandle) async throws {
    var progress = Progress("bytes", of: nil, session.output)
    defer { progress.finish() }
    var (status, bytes) = (0, 0)
    var end = Data()
    var refusal = Data()
    do {
      for try await piece in Download.pieces(of: url) {
        switch piece {
        case .status(let code): status = code
        case .bytes(let data) where status == 200:
          try handle.write(contentsOf: data)
          bytes += data.count
          end = (end + data).suffix(200)
          progress.report(bytes)
        case .bytes(let data): refusal += data.prefix(1000)
        }
      }
    } catch let error as URLError {
      throw Complaint("the backup ended early: \(error.localizedDescription)", .unavailable)
    }
    guard status == 200 else {
      let why = String(decoding: refusal, as: UTF8.self).trimmingCharacters(
        in: .whitespacesAndNewlines
      )
      throw Complaint(
        "the server answers \(status): \(why)",
        status == 403 ? .noPermission : .unavailable
      )
    }
    guard end.last == UInt8(ascii: "\n"), end.contains(Data(#"{"complete":"#.utf8)) else {
      throw Complaint("the backup ended early, after \(Progress.bytes(bytes))", .unavailable)
    }
    progress.finish()
    session.output.note("\(Progress.bytes(bytes)) in \(file ?? "-")")
  }

  static let help = """
    obsctl backup: writes a copy of a running server's data, as of one moment, while it goes on serving.

    USAGE
      obsctl backup FILE

    FILE gets the document, when what was last changed, and the answers to idempotency keys; `-` is standard output.
    It appears when it is whole. `obsd restore FILE --data DIR` makes a new data directory of it. The server hands
    backups out on its own machine only. (`obsctl export` writes the document alone, as JSON.)

    OPTIONS
    \(Help.common)

    EXAMPLES
      obsctl backup obs.backup
      obsctl backup - | gzip > obs.backup.gz
      zcat obs.backup.gz | obsd restore - --data new-data

    """
}
