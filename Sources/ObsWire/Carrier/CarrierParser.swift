/// Reads one operation by recursive descent, and puts variables in on the way.
struct CarrierParser {
  typealias Token = CarrierLexer.Token

  private(set) var lexer: CarrierLexer
  let variables: JSON.Object
  private let limits: CarrierLimits

  /// The token that is looked at, and the byte where it begins.
  private(set) var token = Token.end
  private(set) var start = 0

  var depth = 0
  private var nodes = 0
  /// The values of the variables that the document defines, nil for one without a value.
  ///
  /// Names are ASCII, so a dictionary tells them apart as bytes would.
  var definitions: [String: JSON?] = [:]

  init(_ text: String, variables: JSON.Object, limits: CarrierLimits) throws(WireError) {
    guard text.utf8.count <= limits.maximumBytes else {
      throw WireError(
        .tooComplex,
        "the document has more than \(limits.maximumBytes) bytes",
        extensions: ["limit": "bytes", "hint": "pass long values as variables"]
      )
    }
    lexer = CarrierLexer(text)
    self.variables = variables
    self.limits = limits
    try advance()
  }

  mutating func document() throws(WireError) -> (CarrierDocument.Kind, [CarrierDocument.Field]) {
    guard case .name(let word) = token, let kind = CarrierDocument.Kind(rawValue: word) else {
      throw unexpected(
        "`query`, `subscription` or `mutation`",
        hint: "the short form without a keyword is not supported"
      )
    }
    try advance()
    if case .name = token { try advance() }
    if try skip("(") { try variableDefinitions() }
    try refuseDirective()
    let nodes = try merged(selectionSet(isRoot: true))
    try refuseMore()

    var place = CarrierPlace()
    let fields = nodes.map { node in
      place.advance(to: node.start, in: lexer.bytes)
      return CarrierDocument.Field(
        responseKey: node.key,
        name: node.name,
        arguments: node.arguments,
        selection: node.selection.map(Self.selections),
        location: place.location,
        offset: place.offset
      )
    }
    return (kind, fields)
  }

  private func refuseMore() throws(WireError) {
    switch token {
    case .end: return
    case .name("fragment"): throw fragments()
    case .name, .mark(UInt8(ascii: "{")):
      throw failure(
        "the document has more than one operation",
        hint: "send each operation in a `subscribe` of its own"
      )
    default:
      throw unexpected("the end", hint: "every `{` and `(` needs one partner")
    }
  }

  // Fields

  private mutating func selectionSet(isRoot: Bool) throws(WireError) -> [CarrierFieldNode] {
    let hint = "fields stand in braces, as in `{ id title }`"
    guard token == .mark(UInt8(ascii: "{")) else { throw unexpected("`{`", hint: hint) }
    try enter()
    var nodes: [CarrierFieldNode] = []
    repeat {
      nodes.append(try field(isRoot: isRoot))
    } while try !skip("}")
    depth -= 1
    return nodes
  }

  private mutating func field(isRoot: Bool) throws(WireError) -> CarrierFieldNode {
    if token == .spread { throw fragments() }
    try refuseDirective()
    try countNode()
    let begin = start
    let key = try name("the name of a field", hint: "fields are written `name` or `alias: name`")
    var node = CarrierFieldNode(key: key, name: key, start: begin)
    if try skip(":") {
      node.name = try name("the name of a field", hint: "an alias is written `alias: name`")
    }
    if isRoot, node.name == "__schema" || node.name == "__type" {
      throw failure(
        "introspection is not supported",
        at: begin,
        hint: "the operation `$describe` tells what there is",
        code: .introspectionNotSupported
      )
    }
    if token == .mark(UInt8(ascii: "(")) {
      node.arguments = try arguments(of: node, isRoot: isRoot)
    }
    try refuseDirective()
    if token == .mark(UInt8(ascii: "{")) {
      guard !node.isTypeName else {
        throw failure("`__typename` has no fields", hint: "leave the braces out")
      }
      node.selection = try selectionSet(isRoot: false)
    }
    return node
  }

  private mutating func arguments(
    of node: CarrierFieldNode,
    isRoot: Bool
  ) throws(WireError) -> JSON.Object {
    guard isRoot, !node.isTypeName else {
      throw failure(
        "`\(node.name)` takes no arguments here",
        hint: "only the outermost fields are operations, what is inside selects from their values"
      )
    }
    try advance()
    guard token != .mark(UInt8(ascii: ")")) else {
      throw unexpected("an argument", hint: "leave empty parentheses out")
    }
    return try members(upTo: ")", isConstant: false)
  }

  // Tokens and limits

  mutating func advance() throws(WireError) { (token, start) = try lexer.next() }

  mutating func skip(_ mark: Unicode.Scalar) throws(WireError) -> Bool {
    guard token == .mark(UInt8(ascii: mark)) else { return false }
    try advance()
    return true
  }

  mutating func expect(_ mark: Unicode.Scalar, hint: String) throws(WireError) {
    guard try skip(mark) else { throw unexpected("`\(mark)`", hint: hint) }
  }

  mutating func name(_ expected: String, hint: String) throws(WireError) -> String {
    guard case .name(let name) = token else { throw unexpected(expected, hint: hint) }
    try advance()
    return name
  }

  /// Steps over an opening brace or bracket.
  mutating func enter() throws(WireError) {
    depth += 1
    let limit = min(limits.maximumDepth, CarrierLimits.deepest)
    guard depth <= limit else {
      throw tooComplex("is nested deeper than \(limit)", limit: "depth")
    }
    try advance()
  }

  mutating func countNode() throws(WireError) {
    nodes += 1
    guard nodes <= limits.maximumNodes else {
      throw tooComplex("has more than \(limits.maximumNodes) fields and values", limit: "nodes")
    }
  }
}

extension CarrierParser {
  func failure(
    _ message: String,
    at place: Int? = nil,
    hint: String,
    code: ErrorCode = .syntax
  ) -> WireError {
    lexer.failure(message, at: place ?? start, hint: hint, code: code)
  }

  func unexpected(_ expected: String, hint: String) -> WireError {
    if token == .spread { return fragments() }
    let found =
      switch token {
      case .name(let name): "`\(name.prefix(40))`"
      case .mark(let mark): "`\(Unicode.Scalar(mark))`"
      case .spread: "`...`"
      case .number(let number): "the number \(number)"
      case .string: "a text"
      case .end: "the document ends"
      }
    return failure("\(expected) must stand here, but found \(found)", hint: hint)
  }

  private func tooComplex(_ problem: String, limit: String) -> WireError {
    var error = failure(
      "the document \(problem)",
      hint: "pass large values as variables, or split the document",
      code: .tooComplex
    )
    error.extensions["limit"] = .string(limit)
    return error
  }

  private func fragments() -> WireError {
    failure(
      "fragments are not supported",
      hint: "write the fields out where the fragment would stand"
    )
  }

  func refuseDirective() throws(WireError) {
    guard token == .mark(UInt8(ascii: "@")) else { return }
    throw failure(
      "directives are not supported",
      hint: "write what the directive would decide, such as the fields that are wanted"
    )
  }
}
