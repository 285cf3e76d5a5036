import ObsModel
import ObsQuery
import ObsWire

/// What the query language of one server reaches: the document, exposed models, registered functions.
@ObsActor
final class Language {
  nonisolated let limits: Limits
  nonisolated let functions = FunctionTable()
  let catalog = Catalog()

  nonisolated init(limits: Limits) { self.limits = limits }

  /// Where commits may not write.
  private var reserved = ReservedNames(reservesUnderscore: true)

  var document: Document? { catalog.document }

  // MARK: What there is

  /// Takes a document: queries read its members, commits change it.
  func attach(_ document: Document) throws(ServerError) {
    if catalog.document != nil {
      throw ServerError(.duplicateName, "the server has a document already")
    }
    for model in catalog.models { try Language.check(model.name, isFreeIn: document) }
    catalog.set(document)
  }

  /// Gives a model a place at the root.
  func expose(
    _ name: String,
    _ shape: JSON,
    _ value: @escaping () -> Value
  ) throws(ServerError) {
    if let document { try Language.check(name, isFreeIn: document) }
    reserved.insert(name)
    catalog.add(name, shape, value)
  }

  /// Gives a hosted model a place at the root.
  func expose<Model: AnyObject & Exposed>(_ entry: Hosted<Model>) throws(ServerError) {
    try expose(entry.name, Model.schema.shape) { entry.model?.exposed ?? .null }
  }

  func conceal(_ name: String) {
    guard catalog.models.contains(where: { $0.name == name }) else { return }
    reserved.remove(name)
    catalog.remove(name)
  }

  private static func check(_ name: String, isFreeIn document: Document) throws(ServerError) {
    guard document.snapshot(JSONPointer(tokens: [name])) != nil else { return }
    throw ServerError(
      .duplicateName,
      "`\(name)` cannot be hosted: the document has a member of that name"
    )
  }

  // MARK: Queries

  /// Reads a query's text; from any thread.
  nonisolated func parse(_ text: String) throws(WireError) -> Expression {
    do throws(QueryError) {
      return try Expression(parsing: text, limits: limits.query, functions: functions.signatures)
    } catch {
      throw error.wire
    }
  }

  /// Runs `body` with the root; what it reads of the document is noted by the tracker.
  func withRoot<Result>(
    _ tracker: QueryTracker?,
    _ body: (Value) throws(QueryError) -> Result
  ) throws(QueryError) -> Result {
    guard let tracker else { return try body(catalog.root(nil)) }
    return try tracker.evaluate { (root: Value) throws(QueryError) -> Result in
      try body(catalog.root(root))
    }
  }

  // MARK: Commits

  /// Checks what can be said of a commit before it is applied: what it may contain, and where it may write.
  func admit(_ commit: Commit) throws(WireError) {
    guard document != nil else {
      throw WireError(.unavailable, "this server has no document to write to")
    }
    do throws(CommitError) {
      try commit.check(limits.commit)
      try reserved.check(commit)
    } catch {
      throw error.wire
    }
  }

  /// Applies a commit that was admitted, and says its place.
  func apply(_ commit: Commit) throws(WireError) -> Int64 {
    guard let document else { return 0 }
    do throws(CommitError) {
      return try document.apply(commit, limits: limits.commit).seq
    } catch {
      throw error.wire
    }
  }
}

extension QueryError {
  /// The error as it travels.
  var wire: WireError {
    var extensions: JSON.Object = [:]
    let hasPlace = line > 0
    if hasPlace { extensions["offset"] = .int(Int64(offset)) }
    if let hint { extensions["hint"] = .string(hint) }
    return WireError(
      ErrorCode(rawValue: code.rawValue),
      message,
      locations: hasPlace ? [WireError.Location(line: line, column: column)] : [],
      extensions: extensions
    )
  }
}

extension QueryWarning {
  /// The warning as it travels: `{"message":…,"offset":…,"locations":[…]}`.
  var json: JSON {
    [
      "message": .string(message), "offset": .int(Int64(offset)),
      "locations": [["line": .int(Int64(line)), "column": .int(Int64(column))]],
    ]
  }
}
