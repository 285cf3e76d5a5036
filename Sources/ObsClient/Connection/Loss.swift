internal import ObsTransport
internal import ObsWire

extension ConnectionMachine.Loss {
  /// Reads how a socket ended.
  init(_ close: ConnectionClose, _ error: TransportError?, url: String) {
    let code = close.code.map { CloseCode(reported: $0, reason: close.reason) }
    self.code = code
    retryAfter = error?.retryAfter
    if let error, Self.wasConnected(error) {
      self.error = ClientError(
        .connectionLost,
        "the connection to \(url) was lost: \(error)",
        retryable: true,
        close: code,
        underlying: error
      )
    } else if let error {
      let isNonsense = error.code == .badURL || error.code == .badOption
      self.error = ClientError(
        isNonsense ? .badConfiguration : .unreachable,
        "cannot connect to \(url): \(error)",
        retryable: Self.isRetryable(error),
        close: code,
        underlying: error
      )
    } else if let code {
      let reason = close.reason.isEmpty ? code.defaultReason : close.reason
      // Refused credentials: the next attempt helps only when it shows others.
      let isRetryable = code.retryable && code != .forbidden
      self.error = ClientError(
        code == .forbidden ? .forbidden : isRetryable ? .connectionLost : .refused,
        "\(url) closed the connection: \(reason) (\(code.rawValue))",
        retryable: isRetryable,
        close: code
      )
    } else {
      self.error = ClientError(
        .connectionLost,
        "the connection to \(url) was lost",
        retryable: true
      )
    }
  }

  private static func wasConnected(_ error: TransportError) -> Bool {
    [.connectionLost, .peerSilent, .sendBufferFull].contains(error.code)
  }

  /// Whether the same address may be reachable later: not when it is no address, or when the server answers in HTTP that
  /// it does not want this client.
  private static func isRetryable(_ error: TransportError) -> Bool {
    switch error.code {
    case .badURL, .badOption, .stopped: false
    case .handshakeRefused:
      switch error.httpStatus {
      case 408, 425, 429: true
      case let status?: !(400..<500).contains(status)
      case nil: true
      }
    default: true
    }
  }
}
