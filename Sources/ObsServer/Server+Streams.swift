/// Registering streams: sequences of independent events, not state.
///
/// Every event is delivered in order, as one `next` with a counter. A subscriber that falls behind
/// its bounded queue (``Limits/streamEvents``, ``Limits/streamBytes``) gets the error `overflow`: it
/// is told, not left to guess.
extension Server {
  /// Registers a stream with arguments; each subscriber gets a sequence of its own.
  ///
  /// - Parameters:
  ///   - name: What clients ask for: letters, digits and `_`.
  ///   - body: Makes the sequence. It is iterated off ``ObsActor`` and its iteration is
  ///     cancelled when the subscriber leaves. Its end is told as `complete`, its error as `error`.
  /// - Throws: ``ServerError`` with code `bad-name` or `duplicate-name`.
  public func stream<Arguments: Decodable & Sendable, Events: AsyncSequence & Sendable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments, Caller) throws -> Events
  ) async throws(ServerError) where Events.Element: Encodable & Sendable {
    let faults = faults
    let kind = Operation.Kind.stream { json, caller throws(WireError) in
      let arguments = try Arguments(operationArguments: json)
      let events: Events
      do {
        events = try body(arguments, caller)
      } catch {
        throw faults.wireError(error, operation: name)
      }
      return { queue in await feed(events, queue, faults, name) }
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

  /// Registers a stream with arguments.
  public func stream<Arguments: Decodable & Sendable, Events: AsyncSequence & Sendable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable (Arguments) throws -> Events
  ) async throws(ServerError) where Events.Element: Encodable & Sendable {
    try await stream(name) { (arguments: Arguments, _: Caller) in try body(arguments) }
  }

  /// Registers a stream without arguments.
  public func stream<Events: AsyncSequence & Sendable>(
    _ name: String,
    _ body: @escaping @ObsActor @Sendable () throws -> Events
  ) async throws(ServerError) where Events.Element: Encodable & Sendable {
    try await stream(name) { (_: NoArguments, _: Caller) in try body() }
  }
}

/// Iterates a stream into a subscriber's queue until one of them ends.
@concurrent
private func feed<Events: AsyncSequence & Sendable>(
  _ events: Events,
  _ queue: StreamQueue,
  _ faults: Faults,
  _ name: String
) async where Events.Element: Encodable & Sendable {
  do {
    for try await event in events {
      guard queue.push(try JSONCoding.encode(event)) else { return }
    }
    queue.finish(nil)
  } catch {
    queue.finish(Task.isCancelled ? nil : faults.wireError(error, operation: name))
  }
}

/// Turns errors of registered functions into what clients may know.
struct Faults: Sendable {
  let log: Log

  /// A ``WireError`` is told as it is; anything else as `internal`, with an id that the log has, too.
  func wireError(_ error: any Error, operation: String) -> WireError {
    if let error = error as? WireError { return error }
    let id = String(UInt32.random(in: .min ... .max), radix: 16)
    log(
      .error,
      "operation failed",
      ["operation": .string(operation), "error": .string("\(error)"), "id": .string(id)]
    )
    return WireError(
      .internal,
      "the operation failed inside the server; its log has the id \(id)",
      extensions: ["id": .string(id)]
    )
  }
}
