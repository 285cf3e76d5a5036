/// Looks over a parsed query for what the grammar cannot refuse.
///
/// Finds functions, arguments and variables that do not exist, computes the nesting degree, and collects warnings.
struct Checker {
  let text: String
  let limits: ExpressionLimits
  let functions: [String: FunctionSignature]
  var warnings: [QueryWarning]

  /// The variables of the text that surrounds the node in hand, innermost last, and where their values come from.
  var bound: [(name: String, origin: Int)] = []
  /// The variables that nothing in the text binds, with their first place.
  var free: [(name: String, place: Int)] = []
  var registered: Set<String> = []
  var variableCount = 0
  var degree = 0
  var scopeCount = 1

  init(
    text: String,
    limits: ExpressionLimits,
    functions: [String: FunctionSignature],
    warnings: [QueryWarning]
  ) {
    self.text = text
    self.limits = limits
    self.functions = functions
    self.warnings = warnings
  }

  mutating func check(_ syntax: Syntax) throws(QueryError) {
    _ = try visit(syntax, in: Scope(id: 0, degree: 0, origin: 0))
  }

  func failure(
    _ code: QueryError.Code,
    _ message: String,
    at place: Int,
    hint: String? = nil
  ) -> QueryError {
    QueryError(code, message, at: TextPlace(ofByte: place, in: text), hint: hint)
  }

  // MARK: Functions

  /// Checks a call; returns the built-in function, or nil for a registered one.
  mutating func checkCall(
    _ name: String,
    _ arguments: [Syntax],
    at place: Int
  ) throws(QueryError) -> BuiltIn? {
    let builtIn = BuiltIn(rawValue: name)
    guard let signature = builtIn?.signature ?? functions[name] else {
      throw failure(
        .unknownFunction,
        "there is no function `\(name)`",
        at: place,
        hint: similarName(to: name).map { "did you mean `\($0)`?" }
      )
    }
    guard signature.accepts(arguments.count) else {
      throw failure(
        .invalidArity,
        "`\(name)` takes \(signature.words), but here are \(arguments.count)",
        at: place
      )
    }
    if builtIn == nil { registered.insert(name) }
    for (index, argument) in arguments.enumerated() {
      let isReference = if case .reference = argument.kind { true } else { false }
      guard isReference != (index == builtIn?.referenceIndex) else { continue }
      throw failure(
        .invalidType,
        isReference
          ? "argument \(index + 1) of `\(name)` is a value, not an `&expression`"
          : "argument \(index + 1) of `\(name)` is an `&expression`",
        at: argument.place,
        hint: isReference ? "leave out the `&`" : "write `&` before it"
      )
    }
    if builtIn == .reverse, case .call("sort_by", _) = arguments[0].kind {
      warnings.append(
        QueryWarning(
          "`reverse(sort_by(…))` also turns round what has equal keys; `sort_by(x, &(-n))` does not",
          at: TextPlace(ofByte: place, in: text)
        )
      )
    }
    return builtIn
  }

  private func similarName(to name: String) -> String? {
    let names = BuiltIn.allCases.map(\.rawValue) + functions.keys.sorted()
    let closest = names.map { ($0, Self.distance($0, name)) }.min { $0.1 < $1.1 }
    guard let (candidate, distance) = closest, distance <= max(1, name.utf8.count / 3) else {
      return nil
    }
    return candidate
  }

  /// How many bytes have to be changed, put in or left out to make one name of the other.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right.utf8.prefix(64))
    var row = Array(0...right.count)
    for (index, byte) in left.utf8.prefix(64).enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (right[column] == byte ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }

  // MARK: Variables

  mutating func countVariable(at place: Int) throws(QueryError) {
    variableCount += 1
    guard variableCount > limits.variables else { return }
    throw failure(
      .tooComplex,
      "the query has more than \(limits.variables) variables",
      at: place
    )
  }

  /// Where the value of a variable comes from.
  mutating func origin(ofVariable name: String, at place: Int) throws(QueryError) -> Int {
    if let binding = bound.last(where: { $0.name == name }) { return binding.origin }
    if !free.contains(where: { $0.name == name }) {
      try countVariable(at: place)
      free.append((name, place))
    }
    return 0
  }
}

extension FunctionSignature {
  /// How many arguments, as words for an error text.
  var words: String {
    guard let maximum else {
      return minimum == 0 ? "any number of arguments" : "at least \(minimum) arguments"
    }
    if maximum == minimum { return maximum == 1 ? "1 argument" : "\(maximum) arguments" }
    return "\(minimum) to \(maximum) arguments"
  }
}
