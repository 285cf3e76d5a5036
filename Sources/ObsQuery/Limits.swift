/// How large and how deep the text of a query may be; checked while it is parsed.
public struct ExpressionLimits: Sendable, Hashable {
  /// The most bytes of text; default 8 KiB.
  public var textBytes: Int
  /// The most nodes of the parsed expression; default 500.
  public var nodes: Int
  /// The deepest nesting of the parsed expression; default 50.
  ///
  /// More than ``greatestDepth`` cannot be asked for: parsing and evaluating recurse.
  public var depth: Int
  /// The most bytes of literals together, as they are written; default 16 KiB.
  public var literalBytes: Int
  /// The most variables, bound by `let` or free; default 32.
  public var variables: Int
  /// How deep iterations over collections that do not come from the current element may nest; default 2.
  ///
  /// The work of a query is at most c · n^degree.
  public var degree: Int

  /// The depth beyond which no text is accepted, whatever the limits say.
  public static let greatestDepth = 500

  /// Makes limits; what is not given has its default.
  public init(
    textBytes: Int = 8 * 1024,
    nodes: Int = 500,
    depth: Int = 50,
    literalBytes: Int = 16 * 1024,
    variables: Int = 32,
    degree: Int = 2
  ) {
    self.textBytes = textBytes
    self.nodes = nodes
    self.depth = depth
    self.literalBytes = literalBytes
    self.variables = variables
    self.degree = degree
  }

  /// The limits for queries of strangers.
  public static let `default` = ExpressionLimits()

  /// No limit but ``greatestDepth``; for trusted texts.
  public static let unlimited = ExpressionLimits(
    textBytes: .max,
    nodes: .max,
    depth: .max,
    literalBytes: .max,
    variables: .max,
    degree: .max
  )
}

/// How much one evaluation may do; counted while it runs, in steps and never in time.
///
/// The answer depends on the query and the data alone, and never on the load of the machine.
public struct EvaluationLimits: Sendable, Hashable {
  /// The most steps; default 1,000,000, which are worth at most 50 ms of one core.
  ///
  /// A step is about one node of the expression evaluated for one element; what takes longer (long strings, sorting,
  /// lookups in large objects, reading live data) counts several.
  public var steps: Int
  /// The most elements and members of arrays and objects that the evaluation makes; default 100,000.
  public var elements: Int
  /// The most bytes of text that the evaluation makes; default 1,000,000.
  public var stringBytes: Int
  /// The widest result of `pad_left` and `pad_right` in code points; default 10,000.
  public var padWidth: Int
  /// The most bytes of the written result; default 1,000,000.
  ///
  /// Not counted by the evaluation but by ``Value/write(to:limit:)``.
  public var resultBytes: Int

  /// Makes limits; what is not given has its default.
  public init(
    steps: Int = 1_000_000,
    elements: Int = 100_000,
    stringBytes: Int = 1_000_000,
    padWidth: Int = 10_000,
    resultBytes: Int = 1_000_000
  ) {
    self.steps = steps
    self.elements = elements
    self.stringBytes = stringBytes
    self.padWidth = padWidth
    self.resultBytes = resultBytes
  }

  /// The limits for queries of strangers.
  public static let `default` = EvaluationLimits()

  /// No limits; for trusted queries.
  public static let unlimited = EvaluationLimits(
    steps: .max,
    elements: .max,
    stringBytes: .max,
    padWidth: .max,
    resultBytes: .max
  )
}
