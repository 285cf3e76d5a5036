internal import ObsServer

extension Settings {
  /// One row for each field of `Limits` that is one value.
  static let limits: [Setting] = [
    .size(
      "limits.messageBytes",
      \.server.limits.messageBytes,
      "longest message or HTTP body; over it: close 1009, HTTP 413"
    ),
    .count(
      "limits.messageDepth",
      \.server.limits.messageDepth,
      "deepest nesting of a client's JSON; over it: close 4400",
      in: 1...2048
    ),
    .size(
      "limits.valueBytes",
      \.server.limits.valueBytes,
      "largest value of a query; over it: error result-too-large"
    ),
    .count(
      "limits.subscriptionsPerConnection",
      \.server.limits.subscriptionsPerConnection,
      "operations of one connection; over it: error too-many-subscriptions"
    ),
    .count(
      "limits.connections",
      \.server.limits.connections,
      "connections, one open file each; over it: HTTP 503",
      default: 10_000
    ),
    .number(
      "limits.connectionsPerSecond",
      \.server.limits.connectionsPerSecond,
      "connections a second, on average; over it: HTTP 503 with Retry-After",
      in: 0.001...1_000_000
    ),
    .number(
      "limits.connectionBurst",
      \.server.limits.connectionBurst,
      "connections at once, before that rate counts",
      in: 1...1_000_000
    ),
    .count(
      "limits.connectionsPerUser",
      \.server.limits.connectionsPerUser,
      "connections of one user; over it: close 1013"
    ),
    .number(
      "limits.operationsPerSecond",
      \.server.limits.operationsPerSecond,
      "operations that a connection may start a second, on average",
      in: 0.001...1_000_000
    ),
    .number(
      "limits.operationBurst",
      \.server.limits.operationBurst,
      "operations that a connection may start at once",
      in: 1...1_000_000
    ),
    .size(
      "limits.outboxBytes",
      \.server.limits.outboxBytes,
      "answers and errors that may wait for one peer; over it: close 1013"
    ),
    .count(
      "limits.streamEvents",
      \.server.limits.streamEvents,
      "events that may wait for a subscription; over it: error overflow"
    ),
    .size(
      "limits.streamBytes",
      \.server.limits.streamBytes,
      "bytes of events that may wait for a subscription"
    ),
    .time(
      "limits.handshakeTimeout",
      \.server.limits.handshakeTimeout,
      "time for a client's HTTP request or TLS handshake",
      from: .milliseconds(100)
    ),
    .time(
      "limits.initTimeout",
      \.server.limits.initTimeout,
      "time from upgrade to connection_init; over it: close 4408",
      from: .milliseconds(100)
    ),
    .time(
      "limits.minInterval",
      \.server.limits.minInterval,
      "shortest time between values of a subscription; 0s: every turn"
    ),
    .time(
      "limits.evaluationTime",
      \.server.limits.evaluationTime,
      "CPU time of an evaluation that makes a query be rationed",
      from: .milliseconds(1)
    ),
    .count(
      "limits.lingeringQueries",
      \.server.limits.lingeringQueries,
      "queries that live on without subscribers (see linger)"
    ),
    .count(
      "limits.rememberedAnswers",
      \.server.limits.rememberedAnswers,
      "answers to calls with an idempotency key that are remembered"
    ),
    .time(
      "limits.answerTime",
      \.server.limits.answerTime,
      "time for which the key of a commit is remembered",
      from: .seconds(1)
    ),
  ]
}
