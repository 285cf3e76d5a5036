internal import ObsWire

/// One evaluation: its root, the values of its variables, and what it may still do.
final class Run {
  let text: String
  let root: Value
  /// The values of variables; every `let` and every free variable has a place of its own.
  var slots: [Value]
  let limits: EvaluationLimits
  /// How deep the comparison that is going on has come.
  var comparisonDepth = 0
  private(set) var stepsLeft: Int
  private(set) var elementsLeft: Int
  private(set) var stringBytesLeft: Int
  /// The collections, and their fields, whose partitions were asked for.
  private var indexes: Set<IndexedField> = []

  init(text: String, root: Value, slots: [Value], limits: EvaluationLimits) {
    self.text = text
    self.root = root
    self.slots = slots
    self.limits = limits
    stepsLeft = limits.steps
    elementsLeft = limits.elements
    stringBytesLeft = limits.stringBytes
  }

  /// Counts steps.
  ///
  /// - Throws: `budget-exceeded` when there are no more.
  @inline(__always)
  func step(_ count: Int = 1, at place: Int) throws(QueryError) {
    stepsLeft &-= count
    if stepsLeft < 0 { throw exceeded(.steps, at: place) }
  }

  /// Counts elements and members that are made; each is a step, too.
  @inline(__always)
  func make(_ count: Int, at place: Int) throws(QueryError) {
    elementsLeft &-= count
    if elementsLeft < 0 { throw exceeded(.elements, at: place) }
    try step(count, at: place)
  }

  /// Counts bytes of text that are made.
  func makeText(_ bytes: Int, at place: Int) throws(QueryError) {
    stringBytesLeft &-= bytes
    if stringBytesLeft < 0 { throw exceeded(.text, at: place) }
    try step(1 + bytes / 16, at: place)
  }

  /// Counts the finding of members by the value of a field, after it was done.
  ///
  /// Whether the data has an index already does not matter: steps must not depend on other queries. The first index of
  /// an evaluation counts less than a walk over the collection would, so that large ones can be asked; more of them count
  /// what making them costs.
  func countIndex(on name: String, of node: any Readable, at place: Int) throws(QueryError) {
    try step(2 * Self.pointSteps, at: place)
    let isFirst = indexes.isEmpty
    guard indexes.insert(IndexedField(node: node.identity, name: ByteKey(name))).inserted else {
      return
    }
    let (steps, overflow) = node.indexedCount.multipliedReportingOverflow(by: isFirst ? 3 : 12)
    try step(overflow ? .max / 2 : steps, at: place)
  }

  private struct IndexedField: Hashable {
    let node: ObjectIdentifier
    let name: ByteKey
  }

  /// What an evaluation can have too much of.
  enum Excess {
    case steps, elements, text, padding, comparison
  }

  /// The error that names the limit.
  @inline(never)
  func exceeded(_ excess: Excess, at place: Int) -> QueryError {
    let what =
      switch excess {
      case .steps: "needs more than \(limits.steps) steps"
      case .elements: "makes more than \(limits.elements) elements"
      case .text: "makes more than \(limits.stringBytes) bytes of text"
      case .padding: "pads to more than \(limits.padWidth) code points"
      case .comparison: "compares values that nest deeper than \(Self.deepestComparison)"
      }
    return failure(
      .budgetExceeded,
      "the query \(what)",
      at: place,
      hint: "walk over less: filter first, or use `lookup`"
    )
  }

  @inline(never)
  func failure(
    _ code: QueryError.Code,
    _ message: String,
    at place: Int,
    hint: String? = nil
  ) -> QueryError {
    QueryError(code, message, at: TextPlace(ofByte: place, in: text), hint: hint)
  }

  /// The error of an argument or operand of the wrong type.
  @inline(never)
  func typeError(_ what: String, expects: String, found: Value.Kind, at place: Int) -> QueryError {
    failure(
      .invalidType,
      "\(what) takes \(expects), but found \(found.words)",
      at: place,
      hint: found == .null
        ? "something here is absent or null; `not_null(a, b)` gives it a value" : nil
    )
  }
}

extension Value.Kind {
  /// The type as words for an error text.
  var words: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
