/// A query's text, parsed and checked; the same for every evaluation.
///
///     let expression = try Expression(parsing: "length(values(issues)[?state == $s])", limits: .default)
///     expression.variableNames   // ["s"]
public struct Expression: Sendable {
  /// The text as it was given.
  public let text: String

  /// The shortest spelling of the same expression: one text for all white space, quoting and spelling of numbers.
  ///
  /// Two texts with the same canonical text mean the same; it parses to itself.
  public let canonicalText: String

  /// What is allowed and probably not meant.
  public let warnings: [QueryWarning]

  /// How deep iterations nest over collections that do not come from the current element.
  ///
  /// The work is at most c · n^degree.
  public let nestingDegree: Int

  /// The variables that the request has to bind, without `$`, in byte order.
  public let variableNames: [String]

  /// The registered functions that are called, in byte order.
  public let functionNames: [String]
}

extension Expression {
  /// Parses and checks a text.
  ///
  /// - Parameters:
  ///   - text: the query.
  ///   - limits: how large it may be.
  ///   - functions: the registered functions that it may call, with their numbers of arguments.
  /// - Throws: an error with its place: `syntax`, `unknown-function`, `invalid-arity`, `too-complex`, `number-range`,
  ///   or `invalid-type` for an argument that can never have the right type.
  public init(
    parsing text: String,
    limits: ExpressionLimits = .unlimited,
    functions: [String: FunctionSignature] = [:]
  ) throws(QueryError) {
    throw QueryError(.syntax, "not yet")
  }
}
