import ObsTransport
import ObsWire

/// Names a live query across the two homes.
typealias LiveQueryID = UInt64

/// Names one operation of one connection across the two homes.
struct OperationKey: Hashable, Sendable {
  let connection: ConnectionID
  let serial: UInt64
}

/// Everything one turn publishes: one consistent cut over all live queries of a server.
struct TurnOutput: Sendable {
  /// The turn's number among those that changed something.
  var rev: Int64
  /// The place of the last commit that the values contain; nil without a document.
  var seq: Int64?
  /// Values that differ from the last ones.
  var changed: [(query: LiveQueryID, frame: Frame)] = []
  /// Operations that got their live query and its value; whether the client has that value already.
  var attached: [(key: OperationKey, query: LiveQueryID, frame: Frame, isKnown: Bool)] = []
  /// Queries that are behind their data, or have caught up (the breaker).
  var behind: [(query: LiveQueryID, behind: Bool)] = []
  /// Queries that ended, by value or by error.
  var ended: [(query: LiveQueryID, error: WireError?)] = []
  /// Operations that could not start, or commands that failed.
  var failed: [(key: OperationKey, error: WireError)] = []
  /// Operations whose query ended before they got a value.
  var endedEarly: [(key: OperationKey, error: WireError?)] = []
  /// Results of commands and commits: they leave after the frames above.
  var answered: [(key: OperationKey, answer: Answer)] = []

  var isEmpty: Bool {
    changed.isEmpty && attached.isEmpty && behind.isEmpty && ended.isEmpty && failed.isEmpty
      && endedEarly.isEmpty && answered.isEmpty
  }

  init(rev: Int64) { self.rev = rev }
}
