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

  let syntax: Syntax

  /// The free variables and where each stands first.
  let freeVariables: [(name: String, place: Int)]

  /// Parses and checks a text.
  ///
  /// - Parameters:
  ///   - text: the query.
  ///   - limits: how large it may be.
  ///   - functions: the registered functions that it may call, with their numbers of arguments.
  ///   - escapes: what a backslash means in text between single quotes.
  /// - Throws: an error with its place: `syntax`, `unknown-function`, `invalid-arity`, `too-complex`, `number-range`,
  ///   `invalid-type` for an argument that can never have the right type, `invalid-value` for a slice of step 0.
  public init(
    parsing text: String,
    limits: ExpressionLimits = .unlimited,
    functions: [String: FunctionSignature] = [:],
    escapes: RawStringEscapes = .official
  ) throws(QueryError) {
    var parser = try Parser(text, limits: limits, escapes: escapes)
    syntax = try parser.parse()
    var checker = Checker(
      text: text,
      limits: limits,
      functions: functions,
      warnings: parser.warnings
    )
    try checker.check(syntax)
    self.text = text
    canonicalText = Printer.text(of: syntax)
    warnings = checker.warnings.sorted { $0.offset < $1.offset }
    nestingDegree = checker.degree
    freeVariables = checker.free.sorted { $0.name < $1.name }
    variableNames = freeVariables.map(\.name)
    functionNames = checker.registered.sorted()
  }

  /// Whether a name may be given to a registered function.
  ///
  /// Refused are names that are no names of the language, the built-in ones, and the first words of carrier documents
  /// (`query`, `subscription`, `mutation`).
  public static func isFunctionName(_ name: String) -> Bool {
    let utf8 = Array(name.utf8)
    let isLetter = { (byte: UInt8) in
      (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
    }
    guard let first = utf8.first, isLetter(first),
      utf8.allSatisfy({ isLetter($0) || $0 &- UInt8(ascii: "0") < 10 }),
      BuiltIn(rawValue: name) == nil
    else { return false }
    return !["query", "subscription", "mutation"].contains(name)
  }
}
