internal import ObsWire

/// A piece of a query's text.
struct Token {
  enum Kind: Equatable {
    case identifier(String)
    case quotedIdentifier(String)
    /// `$name`.
    case variable(String)
    /// Text in single quotes, or JSON in backticks.
    case literal(JSON)
    case number(Int)
    case mark(Mark)
    case end
  }

  /// Everything that always looks the same.
  enum Mark: String {
    case dot = "."
    case star = "*"
    case comma = ","
    case colon = ":"
    case at = "@"
    case dollar = "$"
    case question = "?"
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case filter = "[?"
    case flatten = "[]"
    case pipe = "|"
    case or = "||"
    case ampersand = "&"
    case and = "&&"
    case not = "!"
    case notEqual = "!="
    case assign = "="
    case equal = "=="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case plus = "+"
    case minus = "-"
    case multiply = "×"
    case divide = "/"
    case floorDivide = "//"
    case modulo = "%"
  }

  var kind: Kind
  /// The first byte.
  var start: Int
  /// The byte behind the last one.
  var end: Int

  /// What it is, as words for an error text.
  var words: String {
    switch kind {
    case .identifier(let name): "`\(name)`"
    case .quotedIdentifier: "a name in double quotes"
    case .variable(let name): "`$\(name)`"
    case .literal(.string): "a text"
    case .literal: "a literal"
    case .number(let number): "`\(number)`"
    case .mark(let mark): "`\(mark.rawValue)`"
    case .end: "the end of the text"
    }
  }
}
