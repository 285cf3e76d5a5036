internal import ObsCommandLine

/// A subcommand: how its part of the command line is read, and what it does.
protocol Command: Sendable {
  /// The word that asks for it.
  static var name: String { get }
  /// What `obsctl NAME --help` says.
  static var help: String { get }
  /// What `--format` may be; the first where it is not said what else is the default.
  static var formats: [Format] { get }
  /// Whether it works without a server.
  static var isOffline: Bool { get }
  /// Whether it shows what may come for ever, and so ends when nobody reads its output any more.
  static var isEndless: Bool { get }

  init()

  /// Takes a word that is no option.
  mutating func take(_ word: String) throws(CommandLineError)
  /// Takes an option; false when it has none of this name.
  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool
  /// Looks at everything together, at the end of the command line.
  mutating func finish() throws(CommandLineError)

  /// Does the work.
  func run(_ session: Session) async throws
}

extension Command {
  static var isOffline: Bool { false }
  static var isEndless: Bool { false }

  mutating func take(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) -> Bool { false }

  mutating func finish() throws(CommandLineError) {}

  /// The error for a word too many.
  static func surplus(_ word: String) -> CommandLineError {
    CommandLineError("`obsctl \(name)` takes no further word, but got `\(word)`")
  }
}

/// How results are written.
enum Format: String, CaseIterable {
  /// One JSON object a line: query, data, rev …
  case ndjson
  /// One JSON value a line, and nothing else.
  case value
  /// JSON over several lines, for people.
  case pretty
  /// Everything that is known, as one JSON value on one line.
  case json
  /// Words and columns, for people.
  case text
}

/// The subcommands, in the order in which help lists them.
enum Commands {
  static let all: [any Command.Type] = [
    WatchCommand.self, GetCommand.self, ExplainCommand.self, CheckCommand.self,
    PatchCommand.self, MergeCommand.self, ImportCommand.self, ExportCommand.self,
    BackupCommand.self, ReplayCommand.self, CallCommand.self, EventsCommand.self,
    DescribeCommand.self,
  ]

  static func named(_ name: String) -> (any Command.Type)? { all.first { $0.name == name } }
}
