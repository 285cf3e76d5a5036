internal import ObsWire

/// Names one operation of one client for its whole life; on the wire it is the `id`, in decimal.
struct OperationID: Hashable, Comparable, Sendable {
  let rawValue: UInt64

  init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Reads the id back from a message; nil when it is none of ours.
  init?(wire: String) {
    guard let rawValue = UInt64(wire) else { return nil }
    self.rawValue = rawValue
  }

  var wire: String { String(rawValue) }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What the application asked for, until it is answered or no longer wanted.
struct Operation: Sendable {
  enum Kind: Sendable {
    /// A live query: subscribed again on each new connection.
    case watch
    /// A stream of events: subscribed again on each new connection, but events between are lost.
    case stream
    /// One answer: sent again after a lost connection only when it carries an idempotency key.
    case call
  }

  var kind: Kind
  var payload: SubscribePayload
  /// Whether the server of the current connection has been sent it.
  var isSent = false
  /// The newest value of a live query, which the next connection need not send again; nil without one.
  ///
  /// It shares its storage with what the reader was given.
  private var newest: JSON?

  init(_ kind: Kind, _ payload: SubscribePayload) {
    self.kind = kind
    self.payload = payload
  }

  /// What is sent to start it.
  ///
  /// Where the server can resume, the digest of the newest value goes with it. It is computed here, when it is needed:
  /// so neither values nor servers carry anything for a reconnect that may never come.
  func payload(resuming: Bool) -> SubscribePayload {
    guard resuming, let newest else { return payload }
    var payload = payload
    payload.live.since = Digest.of(newest)
    return payload
  }

  /// Notes a value, and puts the one that is known in the place of one that is said to be unchanged.
  mutating func noting(_ payload: NextPayload) -> NextPayload {
    // Events name no state.
    guard kind == .watch, payload.event == nil else { return payload }
    var payload = payload
    if payload.unchanged, let newest {
      payload.data = newest
      payload.extensions["unchanged"] = nil
    }
    newest = payload.errors.isEmpty ? payload.data : nil
    return payload
  }

  /// Whether it may be sent a second time without being done twice.
  var isRepeatable: Bool { kind != .call || payload.live.key != nil }
}

/// What happens to an operation.
enum Delivery: Sendable {
  /// A value, an event or an answer, from the server process named by `epoch`.
  case next(NextPayload, epoch: String)
  /// The server has nothing more to say; the operation is over.
  case finished
  /// The operation is over, because of this.
  case failed(ClientError)
  /// The connection was lost; the operation will be sent again on the next one.
  case interrupted
}

/// Where the deliveries of one operation go.
protocol OperationSink: AnyObject, Sendable {
  /// Whether anybody still waits; an operation that nobody waits for is not started.
  var isOpen: Bool { get }
  /// Takes one delivery, on the loop's thread; false asks that the socket be read no further for the time being.
  func deliver(_ delivery: Delivery) -> Bool
}
