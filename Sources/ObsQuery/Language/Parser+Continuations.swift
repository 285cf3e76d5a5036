internal import ObsWire

// What can follow an expression.

extension Parser {
  /// Makes `left` the left side of the operator that was just taken.
  mutating func extend(
    _ left: inout Syntax,
    with mark: Token.Mark,
    _ token: Token
  ) throws(QueryError) {
    let place = token.start
    switch mark {
    case .dot: try dot(&left, at: place)
    case .pipe: try join(&left, mark, at: place)
    case .or: try join(&left, mark, at: place)
    case .and: try join(&left, mark, at: place)
    case .question: try ternary(&left, at: place)
    case .filter: try filter(&left, at: place)
    case .flatten: try flatten(&left, at: place)
    case .openBracket: try bracket(behind: &left, at: place)
    default:
      if let operation = Self.comparison(mark) {
        try compare(&left, operation, mark, at: place)
      } else if let operation = Self.arithmetic(mark) {
        let right = try expression(above: Self.bindingPower(of: mark))
        let height = max(left.height, right.height)
        left = try node(.arithmetic(operation, left, right), at: place, over: height)
      } else {
        throw unexpected(token, hint: hint(for: mark))
      }
    }
  }

  private func hint(for mark: Token.Mark) -> String? {
    switch mark {
    case .openBrace: "put a dot before `{`: `a.{b: b}`"
    case .openParenthesis: "only a name can be called: `length(a)`"
    case .not: "«not equal» is `!=`; `!` stands before what it negates"
    default: nil
    }
  }

  private mutating func dot(_ left: inout Syntax, at place: Int) throws(QueryError) {
    warnAboutNot(left, "`!a.b` is `(!a).b`; did you mean `!(a.b)`?")
    if take(.star) {
      return try members(&left, at: place, power: Self.bindingPower(of: .dot))
    }
    let right = try behindDot(power: Self.bindingPower(of: .dot))
    let height = max(left.height, right.height + 1)
    if !left.isParenthesized, case .chain(var parts) = left.kind {
      left.kind = .current
      parts.append(right)
      left.kind = .chain(parts)
      left.height = height
      guard height <= greatestDepth else { throw tooDeep(at: place) }
    } else {
      left = try node(.chain([left, right]), at: place, over: max(left.height, right.height))
    }
  }

  /// A name, a call, `*`, `[…]` or `{…}`.
  private mutating func behindDot(power: Int) throws(QueryError) -> Syntax {
    let token = current
    switch token.kind {
    case .identifier, .quotedIdentifier:
      if case .identifier("let") = token.kind, case .variable = following.kind {
        throw unexpected(
          following,
          hint: "put the `let` before the whole expression, or behind a `|`"
        )
      }
      return try expression(above: power)
    case .mark(.star): return try expression(above: power)
    case .mark(.openBracket):
      index += 1
      switch current.kind {
      case .number, .mark(.colon):
        throw unexpected(current, hint: "an index stands without a dot: `a[0]`")
      default: return try list(at: token.start)
      }
    case .mark(.openBrace):
      index += 1
      return try hash(at: token.start)
    default:
      throw unexpected(
        token,
        hint: "behind a dot stands a name, `*`, `[a, b]`, `{a: a}` or a call; else use `|`"
      )
    }
  }

  /// `|`, `||`, `&&`: chains of one operator become one node.
  private mutating func join(
    _ left: inout Syntax,
    _ mark: Token.Mark,
    at place: Int
  ) throws(QueryError) {
    let right = try expression(above: Self.bindingPower(of: mark))
    let height = max(left.height, right.height + 1)
    func appended(_ parts: [Syntax]) -> Syntax.Kind {
      switch mark {
      case .pipe: .pipe(parts + [right])
      case .or: .or(parts + [right])
      default: .and(parts + [right])
      }
    }
    switch (mark, left.kind) {
    case (.pipe, .pipe(let parts)) where !left.isParenthesized,
      (.or, .or(let parts)) where !left.isParenthesized,
      (.and, .and(let parts)) where !left.isParenthesized:
      guard height <= greatestDepth else { throw tooDeep(at: place) }
      left.kind = appended(parts)
      left.height = height
    default:
      left = try node(appended([left]), at: place, over: max(left.height, right.height))
    }
  }

  private mutating func ternary(_ left: inout Syntax, at place: Int) throws(QueryError) {
    let then = try expression(above: 0)
    try expect(.colon, hint: "`condition ? one : other`")
    let otherwise = try expression(above: Self.bindingPower(of: .question) - 1)
    let height = max(left.height, then.height, otherwise.height)
    left = try node(.ternary(left, then: then, otherwise: otherwise), at: place, over: height)
  }

  private mutating func compare(
    _ left: inout Syntax,
    _ operation: Syntax.Comparison,
    _ mark: Token.Mark,
    at place: Int
  ) throws(QueryError) {
    warnAboutNot(
      left,
      "`!a \(mark.rawValue) b` is `(!a) \(mark.rawValue) b`; did you mean `!(a \(mark.rawValue) b)`?"
    )
    let right = try expression(above: Self.bindingPower(of: mark))
    warnAboutTypes(left, right, at: place)
    let height = max(left.height, right.height)
    left = try node(.comparison(operation, left, right), at: place, over: height)
  }

  private static func comparison(_ mark: Token.Mark) -> Syntax.Comparison? {
    Syntax.Comparison(rawValue: mark.rawValue)
  }

  private static func arithmetic(_ mark: Token.Mark) -> Syntax.Arithmetic? {
    mark == .multiply ? .multiply : Syntax.Arithmetic(rawValue: mark.rawValue)
  }

  // MARK: Projections

  mutating func filter(_ left: inout Syntax, at place: Int) throws(QueryError) {
    let condition = try expression(above: 0)
    try expect(.closeBracket)
    warnAboutIndex()
    let each = isNext(.flatten) ? nil : try projected(power: Self.bindingPower(of: .filter))
    let height = max(left.height, condition.height, each?.height ?? 0)
    left = try node(.filter(left, condition: condition, each: each), at: place, over: height)
  }

  mutating func flatten(_ left: inout Syntax, at place: Int) throws(QueryError) {
    let each = try projected(power: Self.bindingPower(of: .flatten))
    let height = max(left.height, each?.height ?? 0)
    left = try node(.flatten(left, each: each), at: place, over: height)
  }

  mutating func members(_ left: inout Syntax, at place: Int, power: Int) throws(QueryError) {
    let each = try projected(power: power)
    let height = max(left.height, each?.height ?? 0)
    left = try node(.members(left, each: each), at: place, over: height)
  }

  /// `[0]`, `[0:1]` or `[*]` behind an expression; the bracket has been taken.
  mutating func bracket(behind left: inout Syntax, at place: Int) throws(QueryError) {
    let token = current
    switch token.kind {
    case .number(let number):
      if case .mark(.colon) = following.kind { return try slice(&left, at: place) }
      index += 1
      try expect(.closeBracket)
      left = try node(.index(left, number), at: place, over: left.height)
    case .mark(.colon): try slice(&left, at: place)
    case .mark(.star):
      index += 1
      try expect(.closeBracket)
      let each = try projected(power: Self.starPower)
      let height = max(left.height, each?.height ?? 0)
      left = try node(.elements(left, each: each), at: place, over: height)
    default:
      throw unexpected(
        token,
        hint: "in brackets stands `0`, `0:2`, `*` or `?condition`; a list is `a.[b, c]`"
      )
    }
  }

  private mutating func slice(_ left: inout Syntax, at place: Int) throws(QueryError) {
    var parts: [Int?] = [nil, nil, nil]
    var part = 0
    while !isNext(.closeBracket) {
      switch current.kind {
      case .number(let number) where parts[part] == nil: parts[part] = number
      case .mark(.colon) where part < 2: part += 1
      default: throw unexpected(current, hint: "a slice is `[start:stop:step]` of numbers")
      }
      index += 1
    }
    try expect(.closeBracket)
    let each = try projected(power: Self.starPower)
    let bounds = Syntax.SliceBounds(start: parts[0], stop: parts[1], step: parts[2])
    let height = max(left.height, each?.height ?? 0)
    left = try node(.slice(left, bounds, each: each), at: place, over: height)
  }

  /// What is evaluated for each element; nil when the elements are taken as they are.
  private mutating func projected(power: Int) throws(QueryError) -> Syntax? {
    guard let mark = currentMark, Self.bindingPower(of: mark) >= Self.projectionEnd else {
      return nil
    }
    switch mark {
    case .openBracket:
      switch following.kind {
      case .number, .mark(.colon): break
      case .mark(.star) where tokens[min(index + 2, tokens.count - 1)].kind == .mark(.closeBracket):
        break
      default: throw unexpected(following, hint: "a list of each element is `.[a, b]`")
      }
      return try expression(above: power)
    case .filter: return try expression(above: power)
    case .dot:
      index += 1
      return try behindDot(power: power)
    default: throw unexpected(current, hint: hint(for: mark))
    }
  }

  // MARK: Warnings

  private mutating func warnAboutNot(_ left: Syntax, _ message: String) {
    guard case .not = left.kind, !left.isParenthesized else { return }
    warn(message, at: left.place)
  }

  private mutating func warnAboutIndex() {
    guard isNext(.openBracket), case .number = following.kind else { return }
    warn(
      "`x[?c][0]` takes the first element of each match; the first match is `x[?c] | [0]`",
      at: current.start
    )
  }

  private mutating func warnAboutTypes(_ left: Syntax, _ right: Syntax, at place: Int) {
    guard case .literal(let left) = left.kind, case .literal(let right) = right.kind else { return }
    switch (left, right) {
    case (.string, .int), (.string, .double), (.int, .string), (.double, .string):
      warn("a text and a number are never equal and have no order", at: place)
    default: break
    }
  }

  mutating func warn(_ message: String, at place: Int) {
    warnings.append(QueryWarning(message, at: TextPlace(ofByte: place, in: text)))
  }
}
