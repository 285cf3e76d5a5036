internal import ObsCommandLine
internal import ObsWire

/// A command line that makes sense: a command, and what all commands can be told.
struct Invocation: Sendable {
  static let defaultURL = "ws://127.0.0.1:8080/ws"

  var command: any Command
  var options: Options

  /// What all commands can be told.
  struct Options: Equatable {
    var url: String
    var token: String?
    var format: Format?
    /// End with ``ExitCode/timeout`` after this time.
    var timeout: Duration?
    var certificateAuthorityFile: String?
    var acceptsAnyCertificate = false
  }
}

extension Invocation {
  /// What a command line can be: a command, or a question about obsctl itself.
  enum Request {
    case run(Invocation)
    /// nil: of obsctl as a whole.
    case help((any Command.Type)?)
    case version
  }

  /// Reads a command line without the program's name.
  ///
  /// - Parameters:
  ///   - arguments: the command line.
  ///   - environment: where `OBS_URL` and `OBS_TOKEN` may be.
  /// - Returns: what is asked for.
  /// - Throws: what is wrong, and what to do.
  static func parse(
    _ arguments: some Sequence<String>,
    environment: [String: String]
  ) throws(CommandLineError) -> Request {
    var reader = ArgumentReader(arguments)
    guard let first = try reader.next() else {
      throw CommandLineError("a command is missing: \(names)")
    }
    let type: any Command.Type
    switch first {
    case .option("--help"): return .help(nil)
    case .word("help"): return .help(try helped(&reader))
    case .option("--version"), .word("version"): return .version
    case .option(let option):
      throw CommandLineError("the command comes first, then options such as \(option)")
    case .word(let word):
      guard let known = Commands.named(word) else {
        throw CommandLineError("there is no command `\(word)`; there are \(names)")
      }
      type = known
    }
    var command = type.init()
    var options = Options(
      url: environment["OBS_URL"].nonEmpty ?? defaultURL,
      token: environment["OBS_TOKEN"].nonEmpty
    )
    while let argument = try reader.next() {
      switch argument {
      case .option("--help"): return .help(type)
      case .word(let word): try command.take(word)
      case .option(let option):
        if try options.take(option, &reader, type) { continue }
        if try command.take(option, &reader) { continue }
        throw CommandLineError(
          "`obsctl \(type.name)` has no option \(option); see `obsctl \(type.name) --help`"
        )
      }
    }
    try command.finish()
    return .run(Invocation(command: command, options: options))
  }

  private static func helped(
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> (any Command.Type)? {
    guard case .word(let word) = try reader.next() else { return nil }
    guard let type = Commands.named(word) else {
      throw CommandLineError("there is no command `\(word)`; there are \(names)")
    }
    return type
  }

  private static var names: String {
    let names = Commands.all.map { $0.name }
    return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }
}

extension Invocation.Options {
  /// Takes an option that all commands have; false when it is none.
  fileprivate mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader,
    _ command: any Command.Type
  ) throws(CommandLineError) -> Bool {
    switch option {
    case "--format": format = try Self.format(try reader.value(of: option), command.formats)
    case "--timeout": timeout = .seconds(try reader.positiveNumber(of: option, "of seconds"))
    case _ where command.isOffline: return false
    case "--url": url = try reader.value(of: option)
    case "--token": token = try reader.value(of: option)
    case "--ca": certificateAuthorityFile = try reader.value(of: option)
    case "--insecure": acceptsAnyCertificate = true
    default: return false
    }
    return true
  }

  private static func format(
    _ text: String,
    _ formats: [Format]
  ) throws(CommandLineError) -> Format {
    guard let format = Format(rawValue: text), formats.contains(format) else {
      let names = formats.map(\.rawValue)
      let known =
        names.count > 1
        ? names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "") : names[0]
      throw CommandLineError("--format must be \(known), not `\(text)`")
    }
    return format
  }
}

extension String? {
  fileprivate var nonEmpty: String? {
    guard let self, !self.isEmpty else { return nil }
    return self
  }
}
