/// What kind of error an operation has met: `extensions.code` of a ``WireError`` (PROTOCOL.md, errors).
///
/// Open, so that a code of a later version is no error.
public struct ErrorCode: RawRepresentable, Hashable, Sendable {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a code of any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  // Found when an operation is registered; these end it.

  /// The query is not in the language.
  public static let syntax = ErrorCode(rawValue: "syntax")
  /// A function that does not exist.
  public static let unknownFunction = ErrorCode(rawValue: "unknown-function")
  /// A function with too few or too many arguments.
  public static let invalidArity = ErrorCode(rawValue: "invalid-arity")
  /// A variable that the request does not give.
  public static let undefinedVariable = ErrorCode(rawValue: "undefined-variable")
  /// The query could cost too much.
  public static let tooComplex = ErrorCode(rawValue: "too-complex")
  /// A number outside Int64 or Double.
  public static let numberRange = ErrorCode(rawValue: "number-range")
  /// Not with these rights.
  public static let forbidden = ErrorCode(rawValue: "forbidden")
  /// No operation of this name.
  public static let unknownOperation = ErrorCode(rawValue: "unknown-operation")
  /// Arguments of the wrong shape; `extensions.argument` names the one.
  public static let badVariables = ErrorCode(rawValue: "bad-variables")

  // Found while a query is evaluated; the subscription lives on and heals with the data.

  /// A value of the wrong type.
  public static let invalidType = ErrorCode(rawValue: "invalid-type")
  /// A value that a function or a rule of the model does not take.
  public static let invalidValue = ErrorCode(rawValue: "invalid-value")
  /// Arithmetic without a finite result.
  public static let notANumber = ErrorCode(rawValue: "not-a-number")
  /// More steps than allowed.
  public static let budgetExceeded = ErrorCode(rawValue: "budget-exceeded")
  /// A value over the size limit.
  public static let resultTooLarge = ErrorCode(rawValue: "result-too-large")

  // Found in a write.

  /// A `test` or `ifSeq` did not hold.
  public static let conflict = ErrorCode(rawValue: "conflict")
  /// What `If-Match` names is not what is there (HTTP only).
  public static let preconditionFailed = ErrorCode(rawValue: "precondition-failed")
  /// A patch that cannot be applied.
  public static let patchFailed = ErrorCode(rawValue: "patch-failed")
  /// What may not be written.
  public static let readOnly = ErrorCode(rawValue: "read-only")
  /// The idempotency key was used for something else.
  public static let keyReused = ErrorCode(rawValue: "key-reused")

  // Of the connection and the server.

  /// No or no valid identity.
  public static let unauthenticated = ErrorCode(rawValue: "unauthenticated")
  /// What was named does not exist.
  public static let notFound = ErrorCode(rawValue: "not-found")
  /// Too many operations a second.
  public static let rateLimited = ErrorCode(rawValue: "rate-limited")
  /// Too many subscriptions on one connection.
  public static let tooManySubscriptions = ErrorCode(rawValue: "too-many-subscriptions")
  /// GraphQL introspection is not answered.
  public static let introspectionNotSupported = ErrorCode(rawValue: "introspection-not-supported")
  /// A fault of the server; `extensions.id` finds it in the log.
  public static let `internal` = ErrorCode(rawValue: "internal")
  /// A stream's reader fell too far behind and has lost events.
  public static let overflow = ErrorCode(rawValue: "overflow")
  /// The server has too much to do.
  public static let overloaded = ErrorCode(rawValue: "overloaded")
  /// What is asked for is being done for somebody else.
  public static let busy = ErrorCode(rawValue: "busy")
  /// What is needed for it cannot be reached at the moment.
  public static let unavailable = ErrorCode(rawValue: "unavailable")
  /// This node has not yet applied what was asked for.
  public static let behind = ErrorCode(rawValue: "behind")
  /// More than a limit allows; `extensions.limit` names it.
  public static let tooLarge = ErrorCode(rawValue: "too-large")

  /// Every code that this project sends.
  public static let all: [ErrorCode] = [
    .syntax, .unknownFunction, .invalidArity, .undefinedVariable, .tooComplex, .numberRange,
    .forbidden, .unknownOperation, .badVariables, .invalidType, .invalidValue, .notANumber,
    .budgetExceeded, .resultTooLarge, .conflict, .patchFailed, .readOnly, .keyReused,
    .unauthenticated, .notFound, .rateLimited, .tooManySubscriptions, .introspectionNotSupported,
    .internal, .overflow, .overloaded, .busy, .unavailable, .behind, .tooLarge,
  ]

  /// Whether the same request may succeed later without being changed.
  public var retryable: Bool {
    switch self {
    case .rateLimited, .overflow, .overloaded, .busy, .unavailable, .behind: true
    default: false
    }
  }
}

extension ErrorCode: CustomStringConvertible {
  /// The text on the wire.
  public var description: String { rawValue }
}
