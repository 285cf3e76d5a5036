internal import ObsClient
internal import ObsWire

/// How obsctl ends, in the numbers of sysexits(3); `obsctl --help` lists them.
enum ExitCode: Int32 {
  case ok = 0
  /// The command line makes no sense.
  case usage = 64
  /// An expression, a document or a patch is wrong, or the server refused the operation.
  case badData = 65
  /// A file cannot be read.
  case noInput = 66
  /// Nobody answers at the address, or the connection was lost for good.
  case unavailable = 69
  /// Something that should not happen, here or at the server.
  case `internal` = 70
  /// A file cannot be written.
  case cannotCreate = 73
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
    case .refused where error.close == .messageTooBig: self = .badData
    case .unreachable, .connectionLost, .clientClosed, .overloaded, .unavailable, .busy, .behind,
      .refused:
      self = .unavailable
    case .internal, .protocolViolation: self = .internal
    case .forbidden where error.wire?.pointer != nil: self = .badData
    case .forbidden, .unauthenticated: self = .noPermission
    default: self = .badData
    }
  }
}
