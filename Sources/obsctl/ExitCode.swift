internal import ObsClient
internal import ObsWire

/// How obsctl ends, in the numbers of sysexits(3); `obsctl --help` lists them.
enum ExitCode: Int32 {
  case ok = 0
  /// The command line makes no sense.
  case usage = 64
  /// The server refused the operation or its arguments.
  case badData = 65
  /// Nobody answers at the address, or the connection was lost for good.
  case unavailable = 69
  /// Something that should not happen, here or at the server.
  case `internal` = 70
  /// `--timeout` was over before the work was done.
  case timeout = 75
  /// The server wants another token, or none will do.
  case noPermission = 77
  /// Ctrl-C.
  case interrupted = 130

  /// Sorts an error of the client library.
  init(_ error: ClientError) {
    switch error.code {
    case .badConfiguration: self = .usage
    case .unreachable, .connectionLost, .clientClosed, .overloaded, .unavailable, .busy, .behind,
      .refused:
      self = .unavailable
    case .internal, .protocolViolation: self = .internal
    case .forbidden, .unauthenticated: self = .noPermission
    default: self = .badData
    }
  }
}
