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

  init(_ kind: Kind, _ payload: SubscribePayload) {
    self.kind = kind
    self.payload = payload
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
