public import ObsQuery
public import ObsWire

/// A live JSON tree: read by live queries, which are woken by what they have read, and changed by commits.
///
///     let document = try Document(["issues": ["i01": ["state": "open"]]])
///     try document.apply(Commit(patch: [["op": "replace", "path": "/issues/i01/state", "value": "closed"]]))
///
/// Reading outside of a live query notes nothing and costs nanoseconds. The root may be any JSON value.
@ObsActor
public final class Document {
  /// The deepest nesting of containers that a document can have: reading it recurses.
  public nonisolated static let maximumDepth = 1024

  let context: DocumentContext
  var content: Content
  /// Stands for a root that is no container, so that its change can be waited for.
  let plainRoot: Node
  var marks: ChangeMarks
  var transaction: Transaction?
  /// The snapshot that is being written.
  var runningSnapshot: DocumentSnapshot?

  /// The place of the last commit that was applied.
  public internal(set) var seq: Int64

  /// Makes a document that holds a value.
  ///
  /// - Parameters:
  ///   - json: the value.
  ///   - seq: the place of the last commit that the value contains; everything counts as changed there.
  /// - Throws: `too-large` for a value deeper than ``maximumDepth``; `number-range` for NaN and infinity.
  public convenience init(_ json: JSON = [:], seq: Int64 = 0) throws(CommitError) {
    let context = DocumentContext()
    try json.checkNumbers(at: JSONPointer(tokens: []))
    let content = try context.make(json, depth: 0)
    self.init(context, content, seq: seq, marks: ChangeMarks(seq: seq))
  }

  init(_ context: DocumentContext, _ content: Content, seq: Int64, marks: ChangeMarks) {
    self.context = context
    self.content = content
    self.seq = seq
    self.marks = marks
    plainRoot = Node(context)
  }

  /// The root for a query: a node, or a plain value.
  ///
  /// What is read through the node is noted while a ``QueryTracker`` evaluates. That the root is a node is not: when the
  /// whole document becomes a value of another kind, everything that was read of the old root is woken.
  public var root: Value {
    if content.node == nil, let reader = context.reader {
      reader.note(plainRoot.madeCells.cell(.members))
    }
    return content.value(nil)
  }

  /// The whole document; notes nothing.
  public var json: JSON { content.json }

  /// The value at a place; nil when there is none.
  ///
  /// Notes nothing.
  public func snapshot(_ pointer: JSONPointer) -> JSON? { content(at: pointer.tokens)?.json }

  /// How many cells live queries depend on now; 0 when there are none.
  public var cellCount: Int { context.cellCount }

  /// How many field names and shapes of records are in use; for metrics.
  public var nameCounts: (names: Int, shapes: Int) { context.names.counts }

  nonisolated static func check(
    depth: Int,
    limit: Int = maximumDepth
  ) throws(CommitError) {
    guard depth >= limit else { return }
    throw CommitError(
      .tooLarge,
      "containers may nest \(limit) deep, not deeper",
      limit: "depth"
    )
  }
}
