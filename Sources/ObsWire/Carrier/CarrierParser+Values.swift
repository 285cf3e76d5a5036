// Variables and values. Variables are put in while the text is read, since their definitions come first.

extension CarrierParser {
  mutating func variableDefinitions() throws(WireError) {
    let hint = "variables are defined as `($name: Type = default)`"
    repeat {
      try countNode()
      let begin = start
      try expect("$", hint: hint)
      let name = try name("the name of a variable", hint: hint)
      try expect(":", hint: hint)
      let isRequired = try type()
      var value: JSON? = nil
      if try skip("=") { value = try self.value(isConstant: true) }
      try refuseDirective()
      guard definitions[name] == nil else {
        throw failure("`$\(name)` is defined twice", at: begin, hint: "take one of the two out")
      }
      value = variables[name] ?? value
      if value == nil, isRequired {
        throw failure(
          "the variable `$\(name)` is not given",
          at: begin,
          hint: "put `\(name)` into `variables`, or define it without `!`",
          code: .undefinedVariable
        )
      }
      definitions.updateValue(value, forKey: name)
    } while try !skip(")")
  }

  /// Reads over a type; tells whether it ends with `!`.
  private mutating func type() throws(WireError) -> Bool {
    let hint = "types are written `Name`, `[Name]` or `Name!`; they are not checked"
    var open = 0
    while try skip("[") { open += 1 }
    _ = try name("a type", hint: hint)
    var isRequired = try skip("!")
    for _ in 0..<open {
      try expect("]", hint: hint)
      isRequired = try skip("!")
    }
    return isRequired
  }

  /// A value; nil for a variable that has none.
  private mutating func value(isConstant: Bool) throws(WireError) -> JSON? {
    try countNode()
    let value: JSON
    switch token {
    case .number(let number): value = number
    case .string(let text): value = .string(text)
    case .name("true"): value = true
    case .name("false"): value = false
    case .name("null"): value = .null
    case .name(let name): value = .string(name)
    case .mark(UInt8(ascii: "$")) where !isConstant: return try variable()
    case .mark(UInt8(ascii: "[")): return try list(isConstant: isConstant)
    case .mark(UInt8(ascii: "{")): return try object(isConstant: isConstant)
    default:
      throw unexpected(
        "a value",
        hint: isConstant
          ? "a default is a literal such as `5`, `\"text\"` or `[open]`"
          : "values are `$name`, or literals such as `5`, `\"text\"`, `[1, 2]` and `{a: 1}`"
      )
    }
    try advance()
    return value
  }

  private mutating func variable() throws(WireError) -> JSON? {
    let begin = start
    try advance()
    let name = try name("the name of a variable", hint: "variables are written `$name`")
    guard let value = definitions[name] else {
      throw failure(
        "the variable `$\(name)` is not defined",
        at: begin,
        hint: "define it after the keyword, as in `query ($\(name): JSON)`",
        code: .undefinedVariable
      )
    }
    return value
  }

  private mutating func list(isConstant: Bool) throws(WireError) -> JSON {
    try enter()
    var elements: [JSON] = []
    // A place in a list cannot be left out.
    while try !skip("]") { elements.append(try value(isConstant: isConstant) ?? .null) }
    depth -= 1
    return .array(elements)
  }

  private mutating func object(isConstant: Bool) throws(WireError) -> JSON {
    try enter()
    let members = try members(upTo: "}", isConstant: isConstant)
    depth -= 1
    return .object(members)
  }

  /// Arguments, or the members of an object.
  mutating func members(
    upTo end: Unicode.Scalar,
    isConstant: Bool
  ) throws(WireError) -> JSON.Object {
    var seen: Set<String> = []
    var members: JSON.Object = [:]
    while try !skip(end) {
      let begin = start
      let hint = "write `name: value`"
      let name = try name("a name or `\(end)`", hint: hint)
      try expect(":", hint: hint)
      guard seen.insert(name).inserted else {
        throw failure("`\(name)` is given twice", at: begin, hint: "take one of the two out")
      }
      if let value = try value(isConstant: isConstant) { members[name] = value }
    }
    return members
  }
}
