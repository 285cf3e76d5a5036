import ObsServer

/// A command line or a setting that makes no sense: what is wrong, and what would be right.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}

/// What the program was asked to do: defaults, then the environment, then the command line.
struct Settings: Equatable, Sendable {
  var host = "127.0.0.1"
  /// Nil: 8080, and any free port for the demo.
  var port: Int?
  /// Nil: 50, and 200 for a demo that ends by itself.
  var rate: Double?
  /// Nil: info, and error for the demo.
  var logLevel: LogLevel?
  var certificateFile: String?
  var privateKeyFile: String?
  var allowedOrigins: [String] = []
  var demo = false
  var once = false
  var loop = false
  var help = false

  /// Environment variables and the options that they stand for.
  static let variables = [
    ("OBS_HOST", "--host"), ("OBS_PORT", "--port"), ("OBS_RATE", "--rate"),
    ("OBS_LOG_LEVEL", "--log-level"), ("OBS_TLS_CERTIFICATE", "--tls-certificate"),
    ("OBS_TLS_KEY", "--tls-key"), ("OBS_ALLOWED_ORIGINS", "--allow-origin"),
  ]

  /// Reads a command line without the program's name.
  init(_ arguments: [String], environment: [String: String]) throws(UsageError) {
    for (variable, option) in Settings.variables {
      guard let value = environment[variable], !value.isEmpty else { continue }
      _ = try set(option, to: value, by: variable)
    }
    once = !["", "0"].contains(environment["ONCE"] ?? "")
    try read(arguments)
    try checkTogether()
  }

  private mutating func read(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var origins: [String]?
    while let argument = rest.popFirst() {
      switch argument {
      case "--demo": demo = true
      case "--once": (once, demo) = (true, true)
      case "--loop": loop = true
      case "--help", "-h": help = true
      default:
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let option = String(parts[0])
        guard Settings.variables.contains(where: { $0.1 == option }) else {
          throw UsageError("there is no option `\(argument)`; see evolution-board --help")
        }
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
          throw UsageError("\(option) needs a value behind it")
        }
        try set(option, to: value, by: option)
        if option == "--allow-origin" {
          origins = (origins ?? []) + allowedOrigins
          allowedOrigins = origins ?? []
        }
      }
    }
  }

  /// Takes the value of an option, from wherever `source` says.
  private mutating func set(
    _ option: String,
    to value: String,
    by source: String
  ) throws(UsageError) {
    switch option {
    case "--host": host = value
    case "--tls-certificate": certificateFile = value
    case "--tls-key": privateKeyFile = value
    case "--allow-origin": allowedOrigins = value.split(separator: ",").map(String.init)
    case "--port":
      guard let number = Int(value), (0...65535).contains(number) else {
        throw UsageError("\(source) must be a port, 0 to 65535, not `\(value)`")
      }
      port = number
    case "--rate":
      guard let number = Double(value), (0...1_000_000).contains(number) else {
        throw UsageError("\(source) must be transactions a second, 0 to 1000000, not `\(value)`")
      }
      rate = number
    case "--log-level":
      guard let level = LogLevel(name: value) else {
        let names = LogLevel.allCases.map { "\($0)" }.joined(separator: ", ")
        throw UsageError("\(source) must be one of \(names), not `\(value)`")
      }
      logLevel = level
    default: break
    }
  }

  private func checkTogether() throws(UsageError) {
    if (certificateFile == nil) != (privateKeyFile == nil) {
      throw UsageError("TLS needs both files: --tls-certificate and --tls-key")
    }
    if demo && certificateFile != nil {
      throw UsageError("the demo speaks plain TCP to itself; leave out the TLS files")
    }
    if demo && loop { throw UsageError("--loop is for serving; --demo replays once") }
  }

  /// The server's configuration; what was left open depends on whether this is the demo.
  var configuration: ServerConfiguration {
    var configuration = ServerConfiguration(host: host, port: port ?? (demo ? 0 : 8080))
    configuration.environment = "evolution-board"
    configuration.allowedOrigins = allowedOrigins
    configuration.logLevel = logLevel ?? (demo ? .error : .info)
    if let certificateFile, let privateKeyFile {
      configuration.tls = .init(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
    }
    // At full speed, transitions come faster than a socket takes them for a while.
    configuration.limits.streamEvents = 4096
    return configuration
  }
}
