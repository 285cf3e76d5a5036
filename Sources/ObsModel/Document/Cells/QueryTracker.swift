public import ObsQuery

/// Notes what one live query reads of a document, so that a change of just that wakes it.
///
///     let tracker = QueryTracker(document)
///     let evaluation = ObservationsEvaluation({ tracker.evaluate { root in … } }, deliver: { … })
///     …
///     evaluation.end()
///     tracker.end()
///
/// Each evaluation swaps the set of cells that the query depends on; cells and indexes are freed with the last query
/// that has read them.
@ObsActor
public final class QueryTracker {
  private let document: Document
  private var reads: ReadSet?
  private var evaluatedAt: UInt64 = 0

  /// The name of the cell whose change came first after the evaluation before the last one.
  ///
  /// Nil when no cell of this document caused the last evaluation: the first one, or something else was read, too.
  public private(set) var cause: String?

  /// Makes a tracker for one live query; it reads nothing yet.
  public init(_ document: Document) { self.document = document }

  isolated deinit { reads?.release() }

  /// Evaluates a query: what `body` reads through the root's nodes is noted.
  ///
  /// Run it inside the `Observations` closure of the query. The document must not be changed meanwhile.
  ///
  /// - Parameter body: gets the document's root. Nodes must not be kept.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; what it has read by then is depended on all the same.
  public func evaluate<Result, Failure: Error>(
    _ body: (Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let context = document.context
    cause = firstFired()
    evaluatedAt = context.tick()
    let fresh = ReadSet(evaluation: evaluatedAt)
    let outer = context.reader
    context.reader = fresh
    defer {
      context.reader = outer
      // The new ones first: what is read again stays.
      let old = reads
      reads = fresh
      old?.release()
    }
    return try body(document.root)
  }

  /// Frees what the last evaluation has read; end the query's `Observations` first.
  public func end() {
    reads?.release()
    reads = nil
  }

  /// How many cells the last evaluation has read.
  public var cellCount: Int { reads?.cells.count ?? 0 }

  /// The names of the cells that the last evaluation has read, in the order of reading.
  ///
  /// Such as `issues/*/state` (a column), `issues/i02/title` (a member), `issues (members)`,
  /// `rows[region=7]/*/score` (a column of a partition).
  public var cellNames: [String] { reads?.cells.map(\.name) ?? [] }

  private func firstFired() -> String? {
    var first: Cell?
    for cell in reads?.cells ?? [] where cell.fired > evaluatedAt {
      if cell.fired < first?.fired ?? .max { first = cell }
    }
    return first?.name
  }
}
