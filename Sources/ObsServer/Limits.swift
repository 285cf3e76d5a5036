public import ObsModel
public import ObsQuery
import ObsTransport

/// Every limit of a server, with its default; all are told to clients in `connection_ack`.
///
/// Each limit is answered by an error or close code that names it (PROTOCOL.md, "Limits").
public struct Limits: Sendable {
  /// The longest message that a client may send, and the longest body of an HTTP request, in bytes.
  ///
  /// Default 256 KiB. Over it: close 1009, or HTTP 413.
  public var messageBytes = 256 * 1024
  /// The deepest nesting of a client's JSON.
  ///
  /// Default 64. Over it: close 4400.
  public var messageDepth = 64
  /// The largest encoded value of a query, in bytes.
  ///
  /// Default 1,000,000.
  ///
  /// Over it the subscription gets the error `result-too-large` and lives on.
  public var valueBytes = 1_000_000
  /// The most active operations of one connection.
  ///
  /// Default 200.
  ///
  /// Over it the operation gets the error `too-many-subscriptions`; the others go on.
  public var subscriptionsPerConnection = 200
  /// The most connections of the server.
  ///
  /// Default 10,000, or what the process's limit on open files leaves. Over it: HTTP 503 before the
  /// upgrade.
  public var connections = ListenOptions.defaultMaximumConnections
  /// WebSocket connections that the server takes a second, on average and of all clients together.
  ///
  /// Default 1,000. Over it: HTTP 503 before the upgrade, with a `Retry-After` that spreads those who come back.
  public var connectionsPerSecond = 1000.0
  /// WebSocket connections that the server takes at once before the rate counts.
  ///
  /// Default 2,000.
  public var connectionBurst = 2000.0
  /// The most connections of one user, where `authenticate` names users.
  ///
  /// Default 50.
  ///
  /// Over it: close 1013.
  public var connectionsPerUser = 50
  /// Operations that one connection may start a second, on average.
  ///
  /// Default 1,000: one connection may carry a whole application's writes.
  ///
  /// Over it the server reads that socket more slowly; after 5 s over it: error `rate-limited`.
  public var operationsPerSecond = 1_000.0
  /// Operations that one connection may start at once before the rate counts.
  ///
  /// Default 2,000.
  public var operationBurst = 2_000.0
  /// Encoded answers and errors that may wait for one connection, in bytes.
  ///
  /// Default 4 MiB.
  ///
  /// Values of queries do not count: at most one waits for each subscription. Over it: close 1013.
  public var outboxBytes = 4 << 20
  /// The most events of a stream that may wait for one subscription.
  ///
  /// Default 256.
  ///
  /// Over it the stream ends with the error `overflow`.
  public var streamEvents = 256
  /// The most bytes of a stream that may wait for one subscription.
  ///
  /// Default 1 MiB.
  public var streamBytes = 1 << 20
  /// The time for a client's HTTP request, or its TLS handshake.
  ///
  /// Default 10 s. Over it: the connection ends.
  public var handshakeTimeout: Duration = .seconds(10)
  /// The time from the upgrade to `connection_init`.
  ///
  /// Default 10 s. Over it: close 4408.
  public var initTimeout: Duration = .seconds(10)
  /// The shortest time between two values of one subscription.
  ///
  /// Default zero: every turn.
  public var minInterval: Duration = .zero
  /// A query whose last evaluation took longer is rationed to a fifth of the model thread.
  ///
  /// CPU time. Default 20 ms. Its frames then say `deferred: true`.
  public var evaluationTime: Duration = .milliseconds(20)
  /// The most queries that live on without subscribers, where `linger` is not zero.
  ///
  /// Default 1,000.
  public var lingeringQueries = 1_000
  /// How large the text of a query may be.
  ///
  /// Default: 8 KiB, 500 nodes, depth 50, 16 KiB of literals, 32 variables, nesting degree 2. Over it: error
  /// `too-complex`.
  public var query = ExpressionLimits.default
  /// How much one evaluation of a query of the language may do.
  ///
  /// Default: 1,000,000 steps, 100,000 elements, 1,000,000 bytes of text.
  ///
  /// Over it the subscription gets the error `budget-exceeded` and lives on.
  public var evaluation = EvaluationLimits.default
  /// What one commit may do.
  ///
  /// Default: 1,000 operations, depth 64. Over it: error `too-large`.
  public var commit = CommitLimits()
  /// The most answers of commands with an idempotency key that are remembered.
  ///
  /// Default 10,000.
  public var rememberedAnswers = 10_000
  /// How long the answer to a commit with an idempotency key is remembered, where there is a log.
  ///
  /// Default 24 h; in time of the log, across restarts.
  public var answerTime = Duration.seconds(24 * 3600)

  /// The default limits.
  public init() {}

  /// Says which field is out of range, if any.
  func problem() -> String? {
    let counts = [
      ("messageBytes", messageBytes), ("messageDepth", messageDepth), ("valueBytes", valueBytes),
      ("subscriptionsPerConnection", subscriptionsPerConnection), ("connections", connections),
      ("connectionsPerUser", connectionsPerUser), ("outboxBytes", outboxBytes),
      ("streamEvents", streamEvents), ("streamBytes", streamBytes),
      ("lingeringQueries", lingeringQueries), ("rememberedAnswers", rememberedAnswers),
    ]
    for (name, value) in counts where value < 1 {
      return "limits.\(name) must be at least 1, but is \(value)"
    }
    let times = [
      ("minInterval", minInterval), ("initTimeout", initTimeout),
      ("handshakeTimeout", handshakeTimeout),
      ("evaluationTime", evaluationTime),
    ]
    for (name, value) in times where value < .zero {
      return "limits.\(name) must not be negative, but is \(value)"
    }
    if connectionsPerSecond <= 0 { return "limits.connectionsPerSecond must be positive" }
    if connectionBurst < 1 { return "limits.connectionBurst must be at least 1" }
    if operationsPerSecond <= 0 { return "limits.operationsPerSecond must be positive" }
    return operationBurst < 1 ? "limits.operationBurst must be at least 1" : nil
  }
}
