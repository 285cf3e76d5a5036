public import ObsModel
public import ObsReplica
import ObsQuery
import ObsWire

/// What the query language reaches: the document, and functions registered in Swift.
extension Server {
  /// Gives the server its document: clients query its members and change them by commits.
  ///
  /// A server has at most one. Its members and hosted models share one namespace; names that begin with `_` are the
  /// server's.
  ///
  /// - Throws: ``ServerError`` with code `duplicate-name`: there is a document already, or it has a member of the name of
  ///   a hosted model.
  public func host(_ document: Document) async throws(ServerError) {
    try await language.attach(document)
  }

  /// Gives the server the document of a replica: commits go through its log, and are answered when they are durable.
  ///
  /// ```swift
  /// let replica = try await Replica.open(SQLiteLog(directory: "data"))
  /// try await server.host(replica)
  /// ```
  ///
  /// Close the replica after the server was stopped.
  ///
  /// - Throws: as ``host(_:)-(Document)``.
  public func host(_ replica: Replica) async throws(ServerError) {
    try await language.attach(replica.document)
    readiness.replica = replica
  }

  /// Registers a function that queries of the language may call by name.
  ///
  /// ```swift
  /// try await server.function("topIssues") { (count: Int) in board.issues.prefix(count).map(\.title) }
  /// // length(topIssues(`5`))
  /// ```
  ///
  /// It runs as a part of the query's evaluation: it must not change models, and what it reads wakes the query. It is
  /// trusted: the step budget does not count what it does.
  ///
  /// - Parameters:
  ///   - name: What queries call; not the name of a function of the language.
  ///   - body: Says the value. Throw ``QueryError`` with a code that may heal, such as `invalid-value`, to choose the
  ///     error; any other error is told as `internal`.
  /// - Throws: ``ServerError`` with code `bad-name` or `duplicate-name`.
  public func function<each Argument: Decodable, Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (repeat each Argument) throws -> Result
  ) async throws(ServerError) {
    var count = 0
    for _ in repeat (each Argument).self { count += 1 }
    try add(name, .exactly(count)) { values in
      var arguments = FunctionArguments(values)
      let result = try body(repeat try arguments.next((each Argument).self))
      return try Value(encoding: result)
    }
  }

  /// Registers a function whose result is live: an exposed model, or a list or dictionary of them.
  ///
  /// ```swift
  /// try await server.liveFunction("topIssues") { (count: Int) in Array(board.issues.prefix(count)) }
  /// // topIssues(`5`)[*].title
  /// ```
  ///
  /// The query depends on what it reads of the result, field by field.
  ///
  /// - Parameters:
  ///   - name: What queries call; not the name of a function of the language.
  ///   - body: Says the object.
  /// - Throws: ``ServerError`` with code `bad-name` or `duplicate-name`.
  public func liveFunction<each Argument: Decodable, Result: Exposable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (repeat each Argument) throws -> Result
  ) async throws(ServerError) {
    var count = 0
    for _ in repeat (each Argument).self { count += 1 }
    try add(name, .exactly(count)) { values in
      var arguments = FunctionArguments(values)
      return Value(exposing: try body(repeat try arguments.next((each Argument).self)))
    }
  }

  private func add(
    _ name: String,
    _ signature: FunctionSignature,
    _ body: @escaping ThrowingFunctionBody
  ) throws(ServerError) {
    if let problem = Operation.problem(withName: name) { throw ServerError(.badName, problem) }
    if Expression.builtInFunctions.contains(name) {
      throw ServerError(.badName, "`\(name)` is a function of the language")
    }
    let faults = faults
    let isNew = language.functions.add(name, signature) { values in
      do {
        return .success(try body(values))
      } catch let error as QueryError {
        return .failure(error)
      } catch {
        let error = faults.wireError(error, operation: name)
        return .failure(QueryError(QueryError.Code(rawValue: error.code.rawValue), error.message))
      }
    }
    if !isNew { throw ServerError(.duplicateName, "the function `\(name)` is registered already") }
  }
}

/// A function's body as it is registered: any error may be thrown.
private typealias ThrowingFunctionBody = @ObsActor @Sendable ([Value]) throws -> Value

/// Decodes the arguments of a call, one after the other.
private struct FunctionArguments {
  private let values: [Value]
  private var position = 0

  init(_ values: [Value]) { self.values = values }

  mutating func next<Argument: Decodable>(_ type: Argument.Type) throws(QueryError) -> Argument {
    let number = position + 1
    let json = values[position].json
    position += 1
    do throws(JSONDecodingError) {
      return try JSONCoding.decode(Argument.self, from: json, root: "argument \(number)")
    } catch {
      throw QueryError(.invalidType, error.message)
    }
  }
}
