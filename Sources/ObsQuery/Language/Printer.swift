internal import ObsWire

/// Writes the canonical text of a query: no white space, one spelling of names and literals, no needless parentheses.
struct Printer {
  private var text = ""

  static func text(of syntax: Syntax) -> String {
    var printer = Printer()
    printer.print(syntax, above: 0)
    return printer.text
  }

  /// Prints a node as an operand of an operator that binds with `power`.
  ///
  /// Parentheses that the text had are kept, unless the node would be read the same without them.
  private mutating func print(_ syntax: Syntax, above power: Int) {
    let isEnclosed = syntax.isParenthesized && !isClosed(syntax, above: power)
    if isEnclosed { text += "(" }
    printPlain(syntax)
    if isEnclosed { text += ")" }
  }

  private func isClosed(_ syntax: Syntax, above power: Int) -> Bool {
    switch syntax.kind {
    case .current, .root, .field, .variable, .literal, .list, .hash, .call: true
    // An operator on both sides of which everything binds tighter.
    case .or: power < Parser.bindingPower(of: .or) && !Self.endsOpen(syntax)
    case .and: power < Parser.bindingPower(of: .and) && !Self.endsOpen(syntax)
    case .comparison: power < Parser.bindingPower(of: .equal) && !Self.endsOpen(syntax)
    default: power == 0
    }
  }

  /// Whether the text may end with the body of a `let`, which takes in all that follows.
  private static func endsOpen(_ syntax: Syntax) -> Bool {
    if case .bindings = syntax.kind { return true }
    switch syntax.kind {
    case .list, .hash, .call: return false
    default: return syntax.children.last.map(endsOpen) ?? false
    }
  }

  private mutating func printPlain(_ syntax: Syntax) {
    switch syntax.kind {
    case .current: text += "@"
    case .root: text += "$"
    case .field(let name): text += Self.name(name)
    case .variable(let name): text += "$" + name
    case .literal(let json): text += Self.literal(json)
    case .chain(let parts): print(parts, by: ".", power: Parser.bindingPower(of: .dot))
    case .pipe(let parts): print(parts, by: "|", power: Parser.bindingPower(of: .pipe))
    case .or(let parts): print(parts, by: "||", power: Parser.bindingPower(of: .or))
    case .and(let parts): print(parts, by: "&&", power: Parser.bindingPower(of: .and))
    case .index(let left, let index): printLeft(left, "[\(index)]")
    case .slice(let left, let bounds, let each): printLeft(left, Self.slice(bounds), each)
    case .elements(let left, let each): printLeft(left, "[*]", each)
    case .members(let left, let each):
      // `*` and `@.*` mean the same, but a filter behind them belongs to other things.
      if left.place == syntax.place { text += "*" } else { print(left, by: ".*") }
      printEach(each)
    case .flatten(let left, let each): printLeft(left, "[]", each)
    case .filter(let left, let condition, let each):
      printLeft(left, "[?")
      print(condition, above: 0)
      text += "]"
      printEach(each)
    case .not(let operand): printPrefixed("!", operand, .not)
    case .negative(let operand): printPrefixed("-", operand, .minus)
    case .positive(let operand): printPrefixed("+", operand, .plus)
    case .comparison(let operation, let left, let right):
      print([left, right], by: operation.rawValue, power: Parser.bindingPower(of: .equal))
    case .arithmetic(let operation, let left, let right):
      print([left, right], by: operation.rawValue, power: Parser.bindingPower(of: .modulo))
    case .ternary(let condition, let then, let otherwise):
      print(condition, above: Parser.bindingPower(of: .question))
      text += "?"
      print(then, above: 0)
      text += ":"
      print(otherwise, above: Parser.bindingPower(of: .question))
    case .list(let elements): printEnclosed("[", elements, "]")
    case .hash(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        text += Self.name(member.key) + ":"
        print(member.value, above: 0)
      }
      text += "}"
    case .call(let name, let arguments):
      text += name
      printEnclosed("(", arguments, ")")
    case .reference(let body):
      text += "&"
      print(body, above: 0)
    case .bindings(let bindings, let body):
      for (index, binding) in bindings.enumerated() {
        text += (index == 0 ? "let $" : ",$") + binding.name + "="
        print(binding.value, above: 0)
      }
      text += " in "
      print(body, above: 0)
    }
  }

  private mutating func print(_ parts: [Syntax], by mark: String, power: Int) {
    for (index, part) in parts.enumerated() {
      if index > 0 { text += mark }
      print(part, above: power)
    }
  }

  private mutating func printEnclosed(_ open: String, _ parts: [Syntax], _ close: String) {
    text += open
    print(parts, by: ",", power: 0)
    text += close
  }

  private mutating func printPrefixed(_ mark: String, _ operand: Syntax, _ power: Token.Mark) {
    text += mark
    print(operand, above: Parser.bindingPower(of: power))
  }

  /// The left side of a bracket; `@` is left out, as in `[0]`.
  private mutating func printLeft(_ left: Syntax, _ bracket: String, _ each: Syntax? = nil) {
    if case .current = left.kind { text += bracket } else { print(left, by: bracket) }
    printEach(each)
  }

  private mutating func print(_ left: Syntax, by bracket: String) {
    print(left, above: Parser.bindingPower(of: .openBracket))
    text += bracket
  }

  /// What is evaluated for each element: `.a`, or a bracket right behind the first.
  private mutating func printEach(_ each: Syntax?) {
    guard let each else { return }
    if !Self.beginsWithBracket(each) { text += "." }
    print(each, above: Parser.bindingPower(of: .dot))
  }

  private static func beginsWithBracket(_ syntax: Syntax) -> Bool {
    switch syntax.kind {
    case .index(let left, _), .slice(let left, _, _), .elements(let left, _),
      .filter(let left, _, _),
      .flatten(let left, _):
      if case .current = left.kind { return true }
      return beginsWithBracket(left)
    case .chain(let parts): return beginsWithBracket(parts[0])
    case .members(let left, _): return beginsWithBracket(left)
    default: return false
    }
  }

  // MARK: Spelling

  static func name(_ name: String) -> String {
    let utf8 = name.utf8
    let isPlain = utf8.first.map { !($0 &- UInt8(ascii: "0") < 10) } ?? false
    if isPlain,
      utf8.allSatisfy({
        ($0 | 0x20) &- UInt8(ascii: "a") < 26 || $0 == UInt8(ascii: "_")
          || $0 &- UInt8(ascii: "0") < 10
      })
    {
      return name
    }
    return JSON.string(name).description
  }

  static func literal(_ json: JSON) -> String {
    if case .string(let text) = json, !text.utf8.contains(UInt8(ascii: "\\")) {
      return "'"
        + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
        + "'"
    }
    let quoted = json.description.split(separator: "`", omittingEmptySubsequences: false)
    return "`" + quoted.joined(separator: "\\`") + "`"
  }

  private static func slice(_ bounds: Syntax.SliceBounds) -> String {
    let start = bounds.start.map(String.init) ?? ""
    let stop = bounds.stop.map(String.init) ?? ""
    let step = bounds.step.map { $0 == 1 ? "" : ":\($0)" } ?? ""
    return "[\(start):\(stop)\(step)]"
  }
}
