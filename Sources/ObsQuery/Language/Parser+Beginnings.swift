internal import ObsWire

// What an expression can begin with.

extension Parser {
  mutating func beginning(with token: Token) throws(QueryError) -> Syntax {
    let place = token.start
    switch token.kind {
    case .identifier("let"):
      if case .variable = current.kind { return try bindings(at: place) }
      return try name("let", at: place)
    case .identifier(let name): return try self.name(name, at: place)
    case .quotedIdentifier(let name):
      guard !isNext(.openParenthesis) else {
        throw failure(
          "a function's name stands without quotes",
          at: place,
          hint: "write `\(name)(…)`"
        )
      }
      return try node(.field(name), at: place)
    case .variable(let name): return try node(.variable(name), at: place)
    case .literal(let json): return try node(.literal(json), at: place)
    case .number, .end: throw unexpected(token)
    case .mark(let mark): return try beginning(with: mark, token)
    }
  }

  private mutating func beginning(
    with mark: Token.Mark,
    _ token: Token
  ) throws(QueryError) -> Syntax {
    let place = token.start
    switch mark {
    case .at: return try node(.current, at: place)
    case .dollar: return try node(.root, at: place)
    case .openParenthesis:
      var inner = try expression(above: 0)
      try expect(.closeParenthesis)
      inner.isParenthesized = true
      return inner
    case .openBrace: return try hash(at: place)
    case .openBracket: return try bracket(at: place)
    case .filter:
      var left = try node(.current, at: place)
      try filter(&left, at: place)
      return left
    case .flatten:
      var left = try node(.current, at: place)
      try flatten(&left, at: place)
      return left
    case .star:
      var left = try node(.current, at: place)
      try members(&left, at: place, power: Self.starPower)
      return left
    case .not:
      let operand = try expression(above: Self.bindingPower(of: .not))
      return try node(.not(operand), at: place, over: operand.height)
    case .minus:
      let operand = try expression(above: Self.bindingPower(of: .minus))
      return try node(.negative(operand), at: place, over: operand.height)
    case .plus:
      let operand = try expression(above: Self.bindingPower(of: .plus))
      return try node(.positive(operand), at: place, over: operand.height)
    case .ampersand:
      throw failure(
        "`&expression` can only be an argument of a function",
        at: place,
        hint: "for «and» write `&&`"
      )
    default: throw unexpected(token)
    }
  }

  private mutating func name(_ name: String, at place: Int) throws(QueryError) -> Syntax {
    guard take(.openParenthesis) else { return try node(.field(name), at: place) }
    var arguments: [Syntax] = []
    var height = 0
    if !take(.closeParenthesis) {
      repeat {
        let argument = try self.argument()
        height = max(height, argument.height)
        arguments.append(argument)
      } while take(.comma)
      try expect(.closeParenthesis)
    }
    return try node(.call(name, arguments), at: place, over: height)
  }

  private mutating func argument() throws(QueryError) -> Syntax {
    let place = current.start
    guard take(.ampersand) else { return try expression(above: 0) }
    let body = try expression(above: 0)
    return try node(.reference(body), at: place, over: body.height)
  }

  private mutating func bindings(at place: Int) throws(QueryError) -> Syntax {
    var bindings: [Syntax.Binding] = []
    var height = 0
    repeat {
      let token = current
      guard case .variable(let name) = token.kind else {
        throw unexpected(token, hint: "`let $a = …, $b = … in …` binds variables")
      }
      index += 1
      try expect(.assign)
      let value = try expression(above: 0)
      height = max(height, value.height)
      bindings.append(Syntax.Binding(name: name, start: token.start, value: value))
    } while take(.comma)
    guard case .identifier("in") = current.kind else {
      throw failure(
        "`in` must stand here, but found \(current.words)",
        at: current.start,
        hint: "`let $a = …, $b = … in …` binds variables"
      )
    }
    index += 1
    let body = try expression(above: 0)
    return try node(.bindings(bindings, in: body), at: place, over: max(height, body.height))
  }

  mutating func hash(at place: Int) throws(QueryError) -> Syntax {
    var members: [Syntax.Member] = []
    var height = 0
    repeat {
      let key: String
      switch current.kind {
      case .identifier(let name), .quotedIdentifier(let name): key = name
      default:
        throw unexpected(current, hint: "`{name: expression, …}` makes an object")
      }
      index += 1
      try expect(.colon, hint: "`{name: expression, …}` makes an object")
      let value = try expression(above: 0)
      height = max(height, value.height)
      members.append(Syntax.Member(key: key, value: value))
    } while take(.comma)
    try expect(.closeBrace)
    return try node(.hash(members), at: place, over: height)
  }

  mutating func list(at place: Int) throws(QueryError) -> Syntax {
    var elements: [Syntax] = []
    var height = 0
    repeat {
      let element = try expression(above: 0)
      height = max(height, element.height)
      elements.append(element)
    } while take(.comma)
    try expect(.closeBracket)
    return try node(.list(elements), at: place, over: height)
  }

  /// `[` at the beginning: an index, a slice, `[*]`, or a list.
  private mutating func bracket(at place: Int) throws(QueryError) -> Syntax {
    switch current.kind {
    case .number, .mark(.colon): break
    case .mark(.star):
      guard case .mark(.closeBracket) = following.kind else { return try list(at: place) }
    default: return try list(at: place)
    }
    var left = try node(.current, at: place)
    try bracket(behind: &left, at: place)
    return left
  }
}
