/// Registering queries: closures that run as `Observations` closures on ``ObsActor``.
///
/// A query reads `@Observable` models and says a value; it runs again in each turn that changed
/// something it read, and subscribers get a frame if the value differs. It must not change models,
/// must not start tasks (they would inherit a priority that is the evaluations' own), and must not
/// depend on anything that is not observed.
extension Server {
  /// Registers a query without arguments.
  ///
  /// - Parameters:
  ///   - name: What clients ask for: letters, digits and `_`.
  ///   - body: Says the value. An error that it throws is sent like a value, and the query
  ///     lives on: the next change may heal it. (`bad-variables` ends it: arguments do not heal.) Throw ``WireError`` to choose code and message.
  /// - Throws: ``ServerError`` with code `bad-name` or `duplicate-name`.
  public func query<Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable () throws -> Result
  ) async throws(ServerError) {
    try add(name, NoArguments.self, takesCaller: false) { _, _ in .next(try body()) }
  }

  /// Registers a query whose arguments are the members of a `Decodable` type.
  ///
  /// Subscribers with equal arguments share one evaluation. Arguments that do not decode are
  /// refused with `bad-variables`, naming the argument.
  public func query<Arguments: Decodable & Sendable, Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments) throws -> Result
  ) async throws(ServerError) {
    try add(name, Arguments.self, takesCaller: false) { arguments, _ in .next(try body(arguments)) }
  }

  /// Registers a query that depends on who asks: evaluations are shared by equal rights only.
  public func query<Arguments: Decodable & Sendable, Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments, Caller) throws -> Result
  ) async throws(ServerError) {
    try add(name, Arguments.self, takesCaller: true) { arguments, caller in
      .next(try body(arguments, caller))
    }
  }

  /// Registers a query that can end: by `.finish` (its subscribers get `complete`), or by an error
  /// that it throws (they get `error`).
  ///
  /// To end with a hosted model, read ``Hosted/model`` and return `.finish` when it is nil.
  public func queryUntilFinished<Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable () throws -> Iteration<Result>
  ) async throws(ServerError) {
    try add(name, NoArguments.self, takesCaller: false, errorsEnd: true) { _, _ in try body() }
  }

  /// Registers a query with arguments that can end.
  public func queryUntilFinished<Arguments: Decodable & Sendable, Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments) throws -> Iteration<Result>
  ) async throws(ServerError) {
    try add(name, Arguments.self, takesCaller: false, errorsEnd: true) { arguments, _ in
      try body(arguments)
    }
  }

  /// Registers a query that can end and depends on who asks.
  public func queryUntilFinished<Arguments: Decodable & Sendable, Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments, Caller) throws -> Iteration<Result>
  ) async throws(ServerError) {
    try add(name, Arguments.self, takesCaller: true, errorsEnd: true, body)
  }

  private func add<Arguments: Decodable & Sendable, Result: Encodable>(
    _ name: String,
    _ type: Arguments.Type,
    takesCaller: Bool,
    errorsEnd: Bool = false,
    _ body: @escaping @ObsActor @Sendable (Arguments, Caller) throws -> Iteration<Result>
  ) throws(ServerError) {
    let faults = faults
    let kind = Operation.Kind.query { json, caller throws(WireError) in
      let arguments = try Arguments(operationArguments: json)
      return FunctionEvaluator {
        do {
          switch try body(arguments, caller) {
          case .next(let value): return .value(try JSONCoding.encode(value))
          case .finish: return .finished
          }
        } catch {
          let error = faults.wireError(error, operation: name)
          // Arguments do not heal: what the body says of them ends the operation.
          return errorsEnd || error.code == .badVariables ? .ended(error) : .failure(error)
        }
      }
    }
    try operations.add(
      Operation(
        name: name,
        kind: kind,
        takesCaller: takesCaller,
        arguments: ArgumentShape.describe(Arguments.self)
      )
    )
  }
}

/// The arguments of an operation that takes none: members are ignored.
struct NoArguments: Decodable, Sendable {
  init() {}
  init(from decoder: any Decoder) {}
}

extension Decodable {
  /// Decodes an operation's arguments; the error names the argument.
  init(operationArguments json: JSON) throws(WireError) {
    do throws(JSONDecodingError) {
      self = try JSONCoding.decode(Self.self, from: json)
    } catch {
      throw WireError(
        .badVariables,
        error.message,
        extensions: error.path.isEmpty ? [:] : ["argument": .string(error.path)]
      )
    }
  }
}
