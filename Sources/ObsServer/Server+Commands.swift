/// Registering commands: functions that change models.
///
/// A command runs on ``ObsActor``; what it changes up to its first suspension is one transaction.
/// Its answer leaves after the frames that it caused, on every connection. Commands on typed models
/// are not durable.
extension Server {
  /// Registers a command with arguments, which learns who calls.
  ///
  /// - Parameters:
  ///   - name: What clients ask for: letters, digits and `_`.
  ///   - body: Changes models and says the answer. Throw ``WireError`` to choose code and
  ///     message; any other error is told as `internal`, with an id for the log.
  /// - Throws: ``ServerError`` with code `bad-name` or `duplicate-name`.
  public func command<Arguments: Decodable & Sendable, Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments, Caller) async throws -> Result
  ) async throws(ServerError) {
    try add(name, Arguments.self) { arguments, caller in
      try JSONCoding.encode(try await body(arguments, caller))
    }
  }

  /// Registers a command with arguments.
  public func command<Arguments: Decodable & Sendable, Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments) async throws -> Result
  ) async throws(ServerError) {
    try add(name, Arguments.self) { arguments, _ in
      try JSONCoding.encode(try await body(arguments))
    }
  }

  /// Registers a command with arguments that answers `null`, and learns who calls.
  public func command<Arguments: Decodable & Sendable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments, Caller) async throws -> Void
  ) async throws(ServerError) {
    try add(name, Arguments.self) { arguments, caller in
      try await body(arguments, caller)
      return Array("null".utf8)
    }
  }

  /// Registers a command with arguments that answers `null`.
  public func command<Arguments: Decodable & Sendable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments) async throws -> Void
  ) async throws(ServerError) {
    try add(name, Arguments.self) { arguments, _ in
      try await body(arguments)
      return Array("null".utf8)
    }
  }

  /// Registers a command without arguments.
  public func command<Result: Encodable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable () async throws -> Result
  ) async throws(ServerError) {
    try add(name, NoArguments.self) { _, _ in try JSONCoding.encode(try await body()) }
  }

  /// Registers a command without arguments that answers `null`.
  public func command(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable () async throws -> Void
  ) async throws(ServerError) {
    try add(name, NoArguments.self) { _, _ in
      try await body()
      return Array("null".utf8)
    }
  }

  private func add<Arguments: Decodable & Sendable>(
    _ name: String,
    _ type: Arguments.Type,
    _ body: @escaping @ObsActor @Sendable (Arguments, Caller) async throws -> [UInt8]
  ) throws(ServerError) {
    let faults = faults
    let kind = Operation.Kind.command { json, caller async throws(WireError) in
      let arguments = try Arguments(operationArguments: json)
      do {
        return try await body(arguments, caller)
      } catch {
        throw faults.wireError(error, operation: name)
      }
    }
    try operations.add(
      Operation(
        name: name,
        kind: kind,
        takesCaller: true,
        arguments: ArgumentShape.describe(Arguments.self)
      )
    )
  }
}
