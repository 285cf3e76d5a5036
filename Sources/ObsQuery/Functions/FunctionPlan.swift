/// A call of a function that takes its arguments as values.
final class FunctionPlan: Plan {
  let function: BuiltIn
  let arguments: [Plan]

  init(_ function: BuiltIn, _ arguments: [Plan], at place: Int) {
    self.function = function
    self.arguments = arguments
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    var call = Call(function: function, place: place, run: run)
    call.arguments.reserveCapacity(arguments.count)
    for argument in arguments { call.arguments.append(try argument.evaluate(current, run)) }
    try run.step(2, at: place)
    switch function {
    case .abs: return try call.abs()
    case .ceil: return try call.rounded(.up)
    case .floor: return try call.rounded(.down)
    case .contains: return try call.contains()
    case .endsWith: return .bool(try call.affix { $0.suffix($1.count).elementsEqual($1) })
    case .startsWith: return .bool(try call.affix { $0.prefix($1.count).elementsEqual($1) })
    case .join: return try call.join()
    case .merge: return try call.merge()
    case .reverse: return try call.reverse()
    case .toArray: return try call.toArray()
    case .toNumber: return call.toNumber()
    case .toString: return try call.toString()
    case .type: return .string(call.arguments[0].kind.rawValue)
    case .fromItems: return try call.fromItems()
    case .zip: return try call.zip()
    case .findFirst: return try call.find(last: false)
    case .findLast: return try call.find(last: true)
    case .lower: return try call.changeCase { $0.lowercased() }
    case .upper: return try call.changeCase { $0.uppercased() }
    case .trim: return try call.trim(left: true, right: true)
    case .trimLeft: return try call.trim(left: true, right: false)
    case .trimRight: return try call.trim(left: false, right: true)
    case .padLeft: return try call.pad(left: true)
    case .padRight: return try call.pad(left: false)
    case .replace: return try call.replace()
    case .split: return try call.split()
    case .lookup: return try call.lookup()
    case .avg, .keys, .length, .map, .max, .maxBy, .min, .minBy, .notNull, .sort, .sortBy, .sum,
      .values, .items, .groupBy, .any, .all:
      preconditionFailure("\(function) has a plan of its own")
    }
  }
}

/// A call of a registered function.
final class RegisteredPlan: Plan {
  let function: RegisteredFunction
  let arguments: [Plan]

  init(_ function: @escaping RegisteredFunction, _ arguments: [Plan], at place: Int) {
    self.function = function
    self.arguments = arguments
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    var values: [Value] = []
    values.reserveCapacity(arguments.count)
    for argument in arguments { values.append(try argument.evaluate(current, run)) }
    try run.step(5, at: place)
    do throws(QueryError) {
      return try function(values)
    } catch {
      guard !error.hasPlace else { throw error }
      throw run.failure(error.code, error.message, at: place, hint: error.hint)
    }
  }
}

/// The arguments of a call in hand.
struct Call {
  let function: BuiltIn
  let place: Int
  let run: Run
  var arguments: [Value] = []

  var name: String { "`\(function.rawValue)`" }

  func typeError(_ index: Int, expects: String) -> QueryError {
    typeError(found: arguments[index].kind, expects: expects)
  }

  func typeError(found: Value.Kind, expects: String) -> QueryError {
    run.typeError(name, expects: expects, found: found, at: place)
  }

  func valueError(_ message: String) -> QueryError {
    run.failure(.invalidValue, "\(name): \(message)", at: place)
  }

  func notANumber() -> QueryError {
    run.failure(.notANumber, "\(name) has no number as its result", at: place)
  }

  /// Checks the types of all arguments, before the content of any.
  func expect(_ kinds: Value.Kind...) throws(QueryError) {
    for (index, kind) in kinds.enumerated() where index < arguments.count {
      guard arguments[index].kind != kind else { continue }
      throw typeError(index, expects: "\(kind.words) as argument \(index + 1)")
    }
  }

  func text(_ index: Int) throws(QueryError) -> String {
    guard case .string(let text) = arguments[index] else {
      throw typeError(index, expects: "a text")
    }
    return text
  }

  /// An optional argument that is a whole number.
  func integer(_ index: Int) throws(QueryError) -> Int? {
    guard index < arguments.count else { return nil }
    switch arguments[index] {
    case .int(let number): return Int(number)
    case .double(let number):
      guard number.rounded() == number else { throw valueError("a number must be whole") }
      // Beyond all lengths, the exact size says nothing.
      return Int(exactly: number) ?? (number < 0 ? .min / 2 : .max / 2)
    default: throw typeError(index, expects: "a number")
    }
  }

  /// An optional argument that is a whole number and not negative.
  func natural(_ index: Int) throws(QueryError) -> Int? {
    guard let number = try integer(index) else { return nil }
    guard number >= 0 else { throw valueError("a number must not be negative") }
    return number
  }

  /// Makes text, and counts its bytes.
  func made(_ text: String) throws(QueryError) -> Value {
    try run.makeText(text.utf8.count, at: place)
    return .string(text)
  }

  func forEachElement(_ index: Int, _ body: ElementBody) throws(QueryError) {
    guard let kind = try run.forEachElement(of: arguments[index], at: place, body) else { return }
    throw typeError(found: kind, expects: "an array")
  }
}
