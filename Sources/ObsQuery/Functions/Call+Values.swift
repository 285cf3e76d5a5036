internal import ObsWire

// Functions on numbers, arrays, objects, and on values of any type.

extension Call {
  func abs() throws(QueryError) -> Value {
    switch arguments[0] {
    case .int(let number):
      guard number != .min else { throw notANumber() }
      return .int(Swift.abs(number))
    case .double(let number): return .double(number.magnitude)
    default: throw typeError(0, expects: "a number")
    }
  }

  /// An integer when it fits.
  func rounded(_ rule: FloatingPointRoundingRule) throws(QueryError) -> Value {
    switch arguments[0] {
    case .int: return arguments[0]
    case .double(let number):
      let whole = number.rounded(rule)
      return Int64(exactly: whole).map(Value.int) ?? .double(whole)
    default: throw typeError(0, expects: "a number")
    }
  }

  func toArray() throws(QueryError) -> Value {
    guard arguments[0].kind != .array else { return arguments[0] }
    try run.make(1, at: place)
    return .array([arguments[0]])
  }

  func toString() throws(QueryError) -> Value {
    if case .string = arguments[0] { return arguments[0] }
    if case .node(_, let scope) = arguments[0] {
      try run.step(Run.readSteps(scope), at: place)
    }
    var writer = JSONWriter()
    do throws(QueryError) {
      try arguments[0].write(to: &writer, maximumBytes: run.stringBytesLeft)
    } catch {
      guard error.code == .resultTooLarge else { throw error }
      throw run.exceeded(.text, at: place)
    }
    // Writing reads all of the value.
    try run.step(4 + writer.bytes.count / 4, at: place)
    return try made(String(decoding: writer.bytes, as: UTF8.self))
  }

  func toNumber() throws(QueryError) -> Value {
    switch arguments[0] {
    case .int, .double: return arguments[0]
    case .string(let text):
      try run.step(2 + text.utf8.count / 8, at: place)
      return NumberText.value(of: text) ?? .null
    default: return .null
    }
  }

  func contains() throws(QueryError) -> Value {
    if case .string(let text) = arguments[0] {
      guard case .string(let part) = arguments[1] else { return .bool(false) }
      try run.step(1 + (text.utf8.count + part.utf8.count) / 8, at: place)
      return .bool(TextSearch(part).first(in: Array(text.utf8)[...]) != nil)
    }
    var found = false
    let kind = try run.forEachElement(of: arguments[0], at: place) {
      (element) throws(QueryError) -> Bool in
      found = try run.isEqual(element, arguments[1], at: place)
      return !found
    }
    if let kind { throw typeError(found: kind, expects: "an array or a text") }
    return .bool(found)
  }

  func reverse() throws(QueryError) -> Value {
    if case .string(let text) = arguments[0] {
      try run.step(1 + text.utf8.count, at: place)
      return try made(String(String.UnicodeScalarView(text.unicodeScalars.reversed())))
    }
    var elements: [Value] = []
    let kind = try run.forEachElement(of: arguments[0], at: place) {
      (element) throws(QueryError) -> Bool in
      try run.make(1, at: place)
      elements.append(element)
      return true
    }
    if let kind { throw typeError(found: kind, expects: "an array or a text") }
    return .array(elements.reversed())
  }

  func zip() throws(QueryError) -> Value {
    var count = Int.max
    for (index, argument) in arguments.enumerated() {
      guard argument.kind == .array else { throw typeError(index, expects: "arrays") }
      count = Swift.min(count, try run.count(of: argument, at: place) ?? 0)
    }
    var rows: [Value] = []
    for index in 0..<count {
      try run.make(1 + arguments.count, at: place)
      var row: [Value] = []
      row.reserveCapacity(arguments.count)
      for argument in arguments { row.append(try run.element(index, of: argument, at: place)) }
      rows.append(.array(row))
    }
    return .array(rows)
  }

  func merge() throws(QueryError) -> Value {
    var members: [(key: String, value: Value)] = []
    for argument in arguments {
      let kind = try run.forEachMember(of: argument, at: place) {
        (key, value) throws(QueryError) -> Bool in
        try run.make(1, at: place)
        members.append((key, value))
        return true
      }
      if let kind { throw typeError(found: kind, expects: "objects") }
    }
    return try object(members)
  }

  func fromItems() throws(QueryError) -> Value {
    var members: [(key: String, value: Value)] = []
    try forEachElement(0) { (item) throws(QueryError) -> Bool in
      guard item.kind == .array else {
        throw typeError(found: item.kind, expects: "an array of pairs `[key, value]`")
      }
      guard try run.count(of: item, at: place) == 2 else {
        throw valueError("every element must be a pair `[key, value]`")
      }
      let key = try run.element(0, of: item, at: place)
      guard case .string(let key) = key else {
        throw typeError(found: key.kind, expects: "texts as keys")
      }
      try run.make(1, at: place)
      members.append((key, try run.element(1, of: item, at: place)))
      return true
    }
    return try object(members)
  }

  /// Of members with the same key the last one counts.
  func object(_ members: [(key: String, value: Value)]) throws(QueryError) -> Value {
    try run.step(SortKeys.steps(members.lazy.map(\.key.utf8.count)), at: place)
    return .object(QueryObject(members))
  }

  func lookup() throws(QueryError) -> Value {
    let object = arguments[0]
    guard object.kind == .object || object.isNull else {
      throw typeError(0, expects: "an object or null first")
    }
    switch arguments[1] {
    case .string(let key): return try run.member(key: key, of: object, at: place) ?? .null
    case .null: return .null
    default: throw typeError(1, expects: "a text or null as the key")
    }
  }
}
