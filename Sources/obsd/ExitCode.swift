/// How obsd ends, in the numbers of sysexits(3); `obsd --help` lists them.
enum ExitCode: Int32 {
  /// Drained after a signal; or the configuration is right.
  case ok = 0
  /// The command line makes no sense.
  case usage = 64
  /// The file of `--load` is not JSON; or the data directory or a backup is damaged.
  case badData = 65
  /// The file of `--load`, or the data of `--demo`, cannot be read.
  case noInput = 66
  /// The address cannot be listened on, or another process uses the data directory.
  case unavailable = 69
  /// Something that should not happen.
  case `internal` = 70
  /// The disk refuses.
  case inputOutput = 74
  /// The configuration is wrong.
  case configuration = 78
}

/// Why obsd ends before it serves: what is wrong, where, what to do, and the exit code.
struct StartError: Error, Equatable {
  var code: ExitCode
  var message: String

  init(_ code: ExitCode, _ message: String) {
    (self.code, self.message) = (code, message)
  }
}
