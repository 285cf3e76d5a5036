/// Why a query is refused or has no value now, and where in its text.
public struct QueryError: Error, Sendable, Hashable {
  /// What is wrong, to decide by; an open set (PROTOCOL.md, errors).
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as it stands on the wire: `invalid-type`.
    public let rawValue: String

    /// Makes a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as it stands on the wire.
    public var description: String { rawValue }

    /// The text is not of the language.
    public static let syntax = Self(rawValue: "syntax")
    /// A function is called that does not exist.
    public static let unknownFunction = Self(rawValue: "unknown-function")
    /// A function is called with too few or too many arguments.
    public static let invalidArity = Self(rawValue: "invalid-arity")
    /// A `$name` is used that neither the text nor the request binds.
    public static let undefinedVariable = Self(rawValue: "undefined-variable")
    /// The text is larger, deeper or nests more iterations than ``ExpressionLimits`` allow.
    public static let tooComplex = Self(rawValue: "too-complex")
    /// A number is outside Int64, or overflows Double.
    public static let numberRange = Self(rawValue: "number-range")
    /// The caller may not ask this.
    public static let forbidden = Self(rawValue: "forbidden")
    /// A value has a type that the operation does not take; may heal with the data.
    public static let invalidType = Self(rawValue: "invalid-type")
    /// A value has the right type and a content that the operation does not take; may heal with the data.
    public static let invalidValue = Self(rawValue: "invalid-value")
    /// Arithmetic has no number as its result: division by zero, overflow; may heal with the data.
    public static let notANumber = Self(rawValue: "not-a-number")
    /// The evaluation needed more than ``EvaluationLimits`` allow; may heal with the data.
    public static let budgetExceeded = Self(rawValue: "budget-exceeded")
    /// The value has more bytes than it may have; may heal with the data.
    public static let resultTooLarge = Self(rawValue: "result-too-large")

    /// Whether the same query may have a value after the data changed.
    public var mayHeal: Bool {
      switch self {
      case .invalidType, .invalidValue, .notANumber, .budgetExceeded, .resultTooLarge: true
      default: false
      }
    }
  }

  /// What is wrong, to decide by.
  public var code: Code

  /// What is wrong, for people; never names data.
  public var message: String

  /// The line of the place in the query's text, from 1; 0 for no place.
  public var line: Int

  /// The column of the place in code points, from 1; 0 for no place.
  public var column: Int

  /// The place in code points from the start of the query's text, from 0.
  public var offset: Int

  /// What to do about it, when there is advice.
  public var hint: String?

  /// Makes an error that has no place yet; the evaluator gives it the place of the call that threw it.
  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.init(code, message, at: .none, hint: hint)
  }

  init(_ code: Code, _ message: String, at place: TextPlace, hint: String? = nil) {
    self.code = code
    self.message = message
    self.line = place.line
    self.column = place.column
    self.offset = place.offset
    self.hint = hint
  }

  /// Whether line and column mean something.
  var hasPlace: Bool { line > 0 }
}

extension QueryError: CustomStringConvertible {
  /// Code, text, place and hint in one line.
  public var description: String {
    let place = hasPlace ? " (line \(line), column \(column))" : ""
    return "\(code): \(message)\(place)\(hint.map { "; " + $0 } ?? "")"
  }
}
