/// Where a value, or a mistake, comes from.
public enum Source: Hashable, Sendable, CustomStringConvertible {
  /// Nobody said anything.
  case standard
  /// A place in the configuration file; both counted from 1.
  case file(String, line: Int, column: Int)
  /// The configuration file as a whole.
  case wholeFile(String)
  /// A variable of the environment.
  case environment(String)
  /// A flag of the command line.
  case flag(String)
  /// Several settings together.
  case together

  /// `default`, `obsd.yaml:3:9`, `$OBS_SERVER_PORT` or `--port`.
  public var description: String {
    switch self {
    case .standard: "default"
    case .file(let name, let line, let column): "\(name):\(line):\(column)"
    case .wholeFile(let name): name
    case .environment(let variable): "$\(variable)"
    case .flag(let flag): flag
    case .together: "configuration"
    }
  }
}

/// Something that is wrong with a configuration: where, what, and what to do.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// Where it stands.
  public var source: Source
  /// What is wrong, and what to do.
  public var message: String

  /// Place and message in one line.
  public var description: String { "\(source): \(message)" }
}
