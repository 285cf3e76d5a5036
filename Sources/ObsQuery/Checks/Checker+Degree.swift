// The nesting degree: how often a part of the query can be evaluated, as a power of the size of the data.
//
// Walking over what belongs to the current element (`labels` of a record, within a walk over the records) costs no
// more than all of the data once: it keeps the degree. Walking over anything else within a walk (`$.users`, a variable
// that was bound outside) multiplies: it raises the degree.

extension Checker {
  /// What is evaluated once for each element of a walk, or once for the query.
  struct Scope {
    /// 0 for the whole query.
    var id: Int
    /// The work of one evaluation of every element is at most n to this power.
    var degree: Int
    /// The scope that the current value comes from.
    var origin: Int
  }

  /// Checks a node and what is below it; returns the scope that its value comes from.
  mutating func visit(_ syntax: Syntax, in scope: Scope) throws(QueryError) -> Int {
    switch syntax.kind {
    case .current: return scope.origin
    case .root: return 0
    case .literal: return scope.id
    case .field: return scope.origin
    case .variable(let name): return try origin(ofVariable: name, at: syntax.place)
    case .chain(let parts), .pipe(let parts):
      var inner = scope
      for part in parts { inner.origin = try visit(part, in: inner) }
      return inner.origin
    case .index(let left, _), .not(let left), .negative(let left), .positive(let left),
      .reference(let left):
      return try visit(left, in: scope)
    case .slice(let left, let bounds, let each):
      if bounds.step == 0 {
        throw failure(.invalidValue, "the step of a slice cannot be 0", at: syntax.place)
      }
      return try visit(left, each, in: scope, at: syntax.place)
    case .elements(let left, let each), .members(let left, let each), .flatten(let left, let each):
      return try visit(left, each, in: scope, at: syntax.place)
    case .filter(let left, let condition, let each):
      let origin = try visit(left, in: scope)
      let inner = try walk(over: origin, in: scope, at: syntax.place)
      _ = try visit(condition, in: inner)
      if let each { _ = try visit(each, in: inner) }
      return origin
    case .call(let name, let arguments):
      return try visitCall(name, arguments, in: scope, at: syntax.place)
    case .bindings(let bindings, let body):
      // The bindings of one `let` do not see each other.
      var new: [(name: String, origin: Int)] = []
      for binding in bindings {
        try countVariable(at: binding.start)
        new.append((binding.name, try visit(binding.value, in: scope)))
      }
      bound += new
      let origin = try visit(body, in: scope)
      bound.removeLast(new.count)
      return origin
    case .or, .and, .comparison, .arithmetic, .ternary, .list, .hash:
      return try visitAll(syntax.children, in: scope)
    }
  }

  /// The origin of a value that is made of several: one from outside of the scope, if there is any.
  private mutating func visitAll(_ parts: [Syntax], in scope: Scope) throws(QueryError) -> Int {
    var result = scope.id
    for part in parts {
      let origin = try visit(part, in: scope)
      if origin != scope.id { result = origin }
    }
    return result
  }

  private mutating func visit(
    _ left: Syntax,
    _ each: Syntax?,
    in scope: Scope,
    at place: Int
  ) throws(QueryError) -> Int {
    let origin = try visit(left, in: scope)
    let inner = try walk(over: origin, in: scope, at: place)
    if let each { _ = try visit(each, in: inner) }
    return origin
  }

  private mutating func visitCall(
    _ name: String,
    _ arguments: [Syntax],
    in scope: Scope,
    at place: Int
  ) throws(QueryError) -> Int {
    let builtIn = try checkCall(name, arguments, at: place)
    let values = arguments.filter { if case .reference = $0.kind { false } else { true } }
    let origin = try visitAll(values, in: scope)
    if let reference = builtIn?.referenceIndex {
      let inner = try walk(over: origin, in: scope, at: place)
      _ = try visit(arguments[reference], in: inner)
    } else if builtIn?.walks == true {
      _ = try walk(over: origin, in: scope, at: place)
    }
    return origin
  }

  /// The scope within a walk over what comes from a scope.
  private mutating func walk(
    over origin: Int,
    in scope: Scope,
    at place: Int
  ) throws(QueryError) -> Scope {
    let inner = origin == scope.id ? max(scope.degree, 1) : scope.degree + 1
    degree = max(degree, inner)
    guard degree <= limits.degree else {
      throw failure(
        .tooComplex,
        "walks over collections are nested \(degree) deep; \(limits.degree) is the most",
        at: place,
        hint: "`lookup(object, key)` finds one member without a walk"
      )
    }
    defer { scopeCount += 1 }
    return Scope(id: scopeCount, degree: inner, origin: scopeCount)
  }
}
