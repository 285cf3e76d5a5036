import ObsLog
import ObsWire

extension LogError {
  /// Whether the log has to recover before it takes commits.
  var stopsWriting: Bool {
    switch self {
    case .busy, .tooLarge, .outOfOrder, .conflict: false
    default: true
    }
  }

  /// The error as it travels.
  var wire: WireError {
    switch self {
    case .busy(let wait):
      let milliseconds = wait / .milliseconds(1)
      return WireError(
        .busy,
        "too many commits wait to be written",
        extensions: ["retryAfter": .int(Int64(milliseconds)), "outcome": "not-applied"]
      )
    case .tooLarge(let bytes, let limit):
      return WireError(
        .tooLarge,
        "the commit has \(bytes) bytes, the log takes \(limit)",
        extensions: ["limit": "log.entry-bytes", "outcome": "not-applied"]
      )
    case .doubtful:
      return WireError(
        .unavailable,
        "\(self)",
        extensions: [
          "retryAfter": 1000, "outcome": "unknown",
          "hint": "send it again with the same key: it is applied once",
        ]
      )
    default: return .commitsRefused("\(self)")
    }
  }
}

extension WireError {
  /// The answer to a commit that the log does not take.
  static func commitsRefused(_ why: String) -> WireError {
    WireError(
      .unavailable,
      "commits are refused: \(why)",
      extensions: ["retryAfter": 1000, "outcome": "not-applied"]
    )
  }
}
