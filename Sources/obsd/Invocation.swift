internal import ObsCommandLine
internal import ObsConfig

/// What a command line asks for.
enum Invocation: Equatable {
  /// What `obsd check-config` prints.
  enum Check: Equatable {
    case effective
    case defaults
    case reference
  }

  case serve(Options)
  case check(Options, Check)
  /// Makes a new data directory of a backup, `-` is standard input.
  case restore(Options, String)
  /// Checks a data directory; nil is that of the configuration.
  case verify(Options, String?)
  case help
  case version

  /// Where the configuration is.
  struct Options: Equatable {
    var file: String?
    var flags: [Resolution.FlagValue] = []
  }

  /// Reads a command line without the program's name.
  ///
  /// - Parameters:
  ///   - arguments: the command line.
  ///   - environment: where `OBS_CONFIG` may be.
  /// - Returns: what is asked for.
  /// - Throws: what is wrong, and what to do.
  static func parse(
    _ arguments: some Sequence<String>,
    environment: [String: String]
  ) throws(CommandLineError) -> Invocation {
    var reader = ArgumentReader(arguments)
    var options = Options()
    if let file = environment["OBS_CONFIG"], !file.isEmpty { options.file = file }
    var check: Check?
    var command: Command?
    var file: String?
    var isFirst = true
    while let argument = try reader.next() {
      defer { isFirst = false }
      switch argument {
      case .option("--help"),
        .word("help") where isFirst:
        return .help
      case .option("--version"): return .version
      case .word("check-config") where isFirst: check = .effective
      case .word("restore") where isFirst: command = .restore
      case .word("verify") where isFirst: command = .verify
      case .word(let word) where command != nil && file == nil: file = word
      case .word(let word): throw CommandLineError(complaint(about: word))
      case .option("--config"): options.file = try reader.value(of: "--config")
      case .option("--print-defaults") where check != nil: check = .defaults
      case .option("--print-reference") where check != nil: check = .reference
      case .option(let option): try options.apply(option, &reader)
      }
    }
    switch command {
    case .restore?:
      guard let file else {
        throw CommandLineError(
          "restore needs a backup: `obsd restore FILE --data DIR`, `-` for standard input"
        )
      }
      return .restore(options, file)
    case .verify?: return .verify(options, file)
    case nil: return check.map { .check(options, $0) } ?? .serve(options)
    }
  }

  private enum Command {
    case restore
    case verify
  }

  private static func complaint(about word: String) -> String {
    if let near = Suggestion.nearest(
      to: word,
      among: ["check-config", "restore", "verify", "help"]
    ) {
      return "there is no command `\(word)`; did you mean `obsd \(near)`?"
    }
    return "obsd takes flags and the commands check-config, restore and verify, but got `\(word)`; "
      + "a configuration file is given as --config FILE, data as --load FILE"
  }
}

extension Invocation.Options {
  fileprivate mutating func apply(
    _ option: String,
    _ reader: inout ArgumentReader
  ) throws(CommandLineError) {
    guard let setting = Settings.setting(flag: option) else {
      let known =
        Settings.all.map(\.flag) + ["--config", "--help", "--version", "--print-defaults"]
      let advice = Suggestion.nearest(to: option, among: known).map { "did you mean \($0)?" }
      throw CommandLineError(
        "there is no option \(option); \(advice ?? "`obsd --help` lists them")"
      )
    }
    // A toggle may stand alone; a value needs its `=`, so that it is not taken for a word.
    let text =
      if setting.kind == .toggle { reader.attachedValue() ?? "true" } else {
        try reader.value(of: option)
      }
    flags.append(Resolution.FlagValue(key: setting.key, text: text))
  }
}
