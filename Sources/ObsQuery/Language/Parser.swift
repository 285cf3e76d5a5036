internal import ObsWire

/// Makes a tree of a query's text: top-down operator precedence, as in JMESPath's reference implementation.
struct Parser {
  let text: String
  let limits: ExpressionLimits
  let tokens: [Token]
  var index = 0
  var nodes = 0
  /// How many calls of ``expression(above:)`` are open.
  var depth = 0
  var warnings: [QueryWarning] = []

  init(
    _ text: String,
    limits: ExpressionLimits,
    escapes: RawStringEscapes
  ) throws(QueryError) {
    self.text = text
    self.limits = limits
    tokens = try Lexer.tokens(of: text, limits: limits, escapes: escapes)
  }

  mutating func parse() throws(QueryError) -> Syntax {
    if case .end = current.kind {
      throw failure("there is no expression", at: current.start, hint: "`@` is the whole value")
    }
    let syntax = try expression(above: 0)
    guard case .end = current.kind else { throw unexpected(current) }
    return syntax
  }

  /// An expression of operators that bind tighter than `power`.
  mutating func expression(above power: Int) throws(QueryError) -> Syntax {
    depth += 1
    defer { depth -= 1 }
    guard depth <= greatestDepth else { throw tooDeep(at: current.start) }
    let first = current
    index += 1
    var left = try beginning(with: first)
    while let mark = currentMark, power < Self.bindingPower(of: mark) {
      let token = current
      index += 1
      try extend(&left, with: mark, token)
    }
    return left
  }

  // MARK: Tokens

  var current: Token { tokens[index] }

  var currentMark: Token.Mark? {
    guard case .mark(let mark) = tokens[index].kind else { return nil }
    return mark
  }

  /// The token behind the current one; the end comes again and again.
  var following: Token { tokens[min(index + 1, tokens.count - 1)] }

  func isNext(_ mark: Token.Mark) -> Bool { currentMark == mark }

  mutating func take(_ mark: Token.Mark) -> Bool {
    guard isNext(mark) else { return false }
    index += 1
    return true
  }

  mutating func expect(_ mark: Token.Mark, hint: String? = nil) throws(QueryError) {
    guard !take(mark) else { return }
    throw failure(
      "`\(mark.rawValue)` must stand here, but found \(current.words)",
      at: current.start,
      hint: hint ?? advice(for: current)
    )
  }

  // MARK: Nodes

  var greatestDepth: Int { min(limits.depth, ExpressionLimits.greatestDepth) }

  mutating func node(_ kind: Syntax.Kind, at place: Int, over height: Int = 0) throws(QueryError)
    -> Syntax
  {
    nodes += 1
    guard nodes <= limits.nodes else {
      throw failure(
        "the query has more than \(limits.nodes) nodes",
        at: place,
        hint: "register it as a function, or ask in parts",
        code: .tooComplex
      )
    }
    guard height < greatestDepth else { throw tooDeep(at: place) }
    return Syntax(kind: kind, place: place, height: height + 1)
  }

  // MARK: Errors

  func failure(
    _ message: String,
    at place: Int,
    hint: String? = nil,
    code: QueryError.Code = .syntax
  ) -> QueryError {
    QueryError(code, message, at: TextPlace(ofByte: place, in: text), hint: hint)
  }

  func tooDeep(at place: Int) -> QueryError {
    failure(
      "the query is nested deeper than \(greatestDepth)",
      at: place,
      hint: "bind parts with `let`, or leave out parentheses",
      code: .tooComplex
    )
  }

  func unexpected(_ token: Token, hint: String? = nil) -> QueryError {
    if case .end = token.kind {
      return failure("the query ends too early", at: token.start, hint: hint)
    }
    return failure(
      "\(token.words) cannot stand here",
      at: token.start,
      hint: hint ?? advice(for: token)
    )
  }

  /// What people probably meant.
  private func advice(for token: Token) -> String? {
    switch token.kind {
    case .number(let number) where number < 0:
      "numbers stand in backticks: `` `\(number)` ``; to subtract, put white space behind the minus"
    case .number(let number): "numbers stand in backticks: `` `\(number)` ``"
    case .mark(.assign): "to compare, write `==`"
    case .mark(.ampersand): "for «and» write `&&`; `&expression` is an argument of a function"
    case .variable: "a variable begins an expression; behind a dot use `lookup(object, key)`"
    case .literal:
      "a literal begins an expression; behind a dot only a name, `*`, `[…]` or `{…}` can stand"
    default: nil
    }
  }

  static func bindingPower(of mark: Token.Mark) -> Int {
    switch mark {
    case .pipe: 1
    case .question: 2
    case .or: 3
    case .and: 4
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: 5
    case .plus, .minus: 6
    case .star, .multiply, .divide, .floorDivide, .modulo: 7
    case .flatten: 9
    case .filter: 21
    case .dot: 40
    case .not: 45
    case .openBrace: 50
    case .openBracket: 55
    case .openParenthesis: 60
    default: 0
    }
  }

  /// Operators below this end a projection.
  static let projectionEnd = 10
  static let starPower = 20
}
