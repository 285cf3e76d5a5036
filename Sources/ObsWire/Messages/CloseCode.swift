/// Why a connection ended: the code of its WebSocket close frame (PROTOCOL.md, close codes).
///
/// Open, so that a code of a later version is no error.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt16

  /// Makes a code of any number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Makes a code from what a WebSocket library reports.
  ///
  /// libwebsockets' client reports some codes as 1002; our own reasons tell them apart.
  public init(reported: UInt16, reason: String) {
    switch (reported, reason) {
    case (1002, "restart"), (1002, "starting"): self = .restart
    case (1002, "going away"): self = .goingAway
    case (1002, "overloaded"), (1002, "slow consumer"): self = .overloaded
    default: self.init(rawValue: reported)
    }
  }

  /// 1000: the client has closed.
  public static let normal = CloseCode(rawValue: 1000)
  /// 1001: an embedding program stops the server.
  public static let goingAway = CloseCode(rawValue: 1001)
  /// 1003: a binary frame.
  public static let textOnly = CloseCode(rawValue: 1003)
  /// 1007: a text frame that is not UTF-8.
  public static let invalidUTF8 = CloseCode(rawValue: 1007)
  /// 1009: a message over the limit.
  public static let messageTooBig = CloseCode(rawValue: 1009)
  /// 1012: the server restarts or drains.
  public static let restart = CloseCode(rawValue: 1012)
  /// 1013: too many clients, or one that reads too slowly.
  public static let overloaded = CloseCode(rawValue: 1013)
  /// 4400: not JSON, wrong shape, number out of range, nested too deeply, duplicate member.
  public static let badMessage = CloseCode(rawValue: 4400)
  /// 4401: `subscribe` before `connection_ack`.
  public static let unauthorized = CloseCode(rawValue: 4401)
  /// 4403: token refused, expired or revoked.
  public static let forbidden = CloseCode(rawValue: 4403)
  /// 4406: another subprotocol, where the upgrade could not be refused.
  public static let subprotocol = CloseCode(rawValue: 4406)
  /// 4408: no `connection_init` in time.
  public static let initTimeout = CloseCode(rawValue: 4408)
  /// 4409: the id of a `subscribe` is in use.
  public static let subscriberExists = CloseCode(rawValue: 4409)
  /// 4429: a second `connection_init`.
  public static let tooManyInit = CloseCode(rawValue: 4429)
  /// 4500: a fault of the server that hits the whole connection.
  public static let `internal` = CloseCode(rawValue: 4500)

  /// Every code that this project sends, in numeric order.
  public static let all: [CloseCode] = [
    .normal, .goingAway, .textOnly, .invalidUTF8, .messageTooBig, .restart, .overloaded,
    .badMessage, .unauthorized, .forbidden, .subprotocol, .initTimeout, .subscriberExists,
    .tooManyInit, .internal,
  ]

  /// The text that goes with the code where nothing more exact is known; empty for 1000 and unknown codes.
  public var defaultReason: String {
    switch self {
    case .goingAway: "going away"
    case .textOnly: "text only"
    case .invalidUTF8: "invalid utf-8"
    case .messageTooBig: "message too big"
    case .restart: "restart"
    case .overloaded: "overloaded"
    case .badMessage: "bad message"
    case .unauthorized: "unauthorized"
    case .forbidden: "forbidden"
    case .subprotocol: "subprotocol"
    case .initTimeout: "init timeout"
    case .subscriberExists: "subscriber for ID already exists"
    case .tooManyInit: "too many init"
    case .internal: "internal"
    default: ""
    }
  }

  /// Whether a client connects again and re-sends its open operations; what ObsClient and stock clients do.
  ///
  /// Of 1000–1999 only those that say that the peer went away; of the others all but those that accuse the client.
  public var retryable: Bool {
    switch rawValue {
    case 1000, 1001, 1005, 1006, 1012, 1013, 1014: true
    case ...1999: false
    case 4004, 4005, 4400, 4401, 4406, 4409, 4429, 4500: false
    default: true
    }
  }
}

extension CloseCode: CustomStringConvertible {
  /// Number and default reason, such as `4400 bad message`.
  public var description: String {
    defaultReason.isEmpty ? "\(rawValue)" : "\(rawValue) \(defaultReason)"
  }
}
