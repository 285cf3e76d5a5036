internal import ObsWire

/// A node of a parsed query.
///
/// What stands behind a projection (`[*].a.b`) is an expression of its own, evaluated for each element.
struct Syntax: Sendable {
  indirect enum Kind: Sendable {
    /// `@`, also where the text leaves it out: `[0]`.
    case current
    /// `$`.
    case root
    case field(String)
    case variable(String)
    case literal(JSON)
    /// `a.b.c`: ends with null at the first null.
    case chain([Syntax])
    /// `a | b | c`: goes on with null.
    case pipe([Syntax])
    case or([Syntax])
    case and([Syntax])
    case index(Syntax, Int)
    /// `left[start:stop:step].each`.
    case slice(Syntax, SliceBounds, each: Syntax?)
    /// `left[*].each`.
    case elements(Syntax, each: Syntax?)
    /// `left.*.each`.
    case members(Syntax, each: Syntax?)
    /// `left[?condition].each`.
    case filter(Syntax, condition: Syntax, each: Syntax?)
    /// `left[].each`.
    case flatten(Syntax, each: Syntax?)
    case not(Syntax)
    case negative(Syntax)
    case positive(Syntax)
    case comparison(Comparison, Syntax, Syntax)
    case arithmetic(Arithmetic, Syntax, Syntax)
    case ternary(Syntax, then: Syntax, otherwise: Syntax)
    case list([Syntax])
    case hash([Member])
    case call(String, [Syntax])
    /// `&expression`, as an argument only.
    case reference(Syntax)
    case bindings([Binding], in: Syntax)
  }

  /// `key: value` of a multi-select.
  struct Member: Sendable {
    var key: String
    var value: Syntax
  }

  /// `$name = value` of a `let`.
  struct Binding: Sendable {
    var name: String
    /// Where the name stands.
    var start: Int
    var value: Syntax
  }

  struct SliceBounds: Sendable {
    var start: Int?
    var stop: Int?
    var step: Int?
  }

  enum Comparison: String, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  enum Arithmetic: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case floorDivide = "//"
    case modulo = "%"
  }

  var kind: Kind
  /// The byte of the text that an error of this node points at.
  var place: Int
  /// How deep the deepest node below is; 1 for a leaf.
  var height: Int
  /// Whether it stands in parentheses of its own.
  var isParenthesized = false
}

extension Syntax {
  /// The nodes directly below, in the order of the text.
  var children: [Syntax] {
    switch kind {
    case .current, .root, .field, .variable, .literal: []
    case .chain(let parts), .pipe(let parts), .or(let parts), .and(let parts), .list(let parts),
      .call(_, let parts):
      parts
    case .index(let left, _), .not(let left), .negative(let left), .positive(let left),
      .reference(let left):
      [left]
    case .slice(let left, _, let each), .elements(let left, let each), .members(let left, let each),
      .flatten(let left, let each):
      each.map { [left, $0] } ?? [left]
    case .filter(let left, let condition, let each):
      each.map { [left, condition, $0] } ?? [left, condition]
    case .comparison(_, let left, let right), .arithmetic(_, let left, let right): [left, right]
    case .ternary(let condition, let then, let otherwise): [condition, then, otherwise]
    case .hash(let members): members.map(\.value)
    case .bindings(let bindings, let body): bindings.map(\.value) + [body]
    }
  }
}
