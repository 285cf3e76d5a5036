import ObsWire
import Synchronization

/// What a `subscribe` message comes to.
enum ResolvedOperation: Sendable {
  case query(ResolvedQuery, once: Bool)
  /// Runs once. The text names it among idempotency keys.
  case command(text: String, CommandBody, JSON, CarrierShape?)
  /// A write to the document.
  case commit(CommitOperation)
  case stream(StreamOpener, JSON, CarrierShape?)
}

/// The names that a server answers to; asked from the socket loop, filled from anywhere.
final class OperationTable: Sendable {
  private let operations = Mutex<[String: Operation]>([:])
  let language: Language

  init(_ language: Language) { self.language = language }

  func add(_ operation: Operation) throws(ServerError) {
    if let problem = Operation.problem(withName: operation.name) {
      throw ServerError(.badName, problem)
    }
    let taken = operations.withLock { table in
      if table[operation.name] != nil { return true }
      table[operation.name] = operation
      return false
    }
    if taken {
      throw ServerError(.duplicateName, "the name `\(operation.name)` is registered already")
    }
  }

  func find(_ name: String) throws(WireError) -> Operation {
    if let operation = operations.withLock({ $0[name] }) { return operation }
    let known = operations.withLock { $0.keys.sorted() }
    throw WireError(
      .unknownOperation,
      "there is no operation `\(name)`",
      extensions: [
        "hint": .string(
          known.isEmpty
            ? "nothing is registered" : "known: \(known.prefix(20).joined(separator: ", "))"
        )
      ]
    )
  }

  func resolve(_ payload: SubscribePayload) throws(WireError) -> ResolvedOperation {
    let resolved = try lookUp(payload)
    if payload.live.since != nil {
      guard case .query = resolved else {
        throw WireError(
          .badVariables,
          "extensions.live.since belongs to queries: only a value can be unchanged",
          extensions: ["argument": "since"]
        )
      }
    }
    if case .commit = resolved { return resolved }
    guard payload.live.ifSeq == nil else {
      throw WireError(
        .badVariables,
        "extensions.live.ifSeq belongs to commits: patch and merge",
        extensions: ["argument": "ifSeq"]
      )
    }
    return resolved
  }

  private func lookUp(_ payload: SubscribePayload) throws(WireError) -> ResolvedOperation {
    if payload.query.isEmpty {
      guard let name = payload.operationName, !name.isEmpty else {
        throw WireError(
          .unknownOperation,
          "payload.query is empty and payload.operationName is missing",
          extensions: ["hint": "name a registered operation, or send `$describe` to list them"]
        )
      }
      if let operation = try builtIn(name, payload.variables, payload.live) { return operation }
      return try resolve(name, .object(payload.variables))
    }
    if CarrierDocument.isCarrier(payload.query) {
      return try resolve(
        CarrierDocument(parsing: payload.query, variables: payload.variables),
        payload.live
      )
    }
    return .query(try query(payload.query, payload.variables), once: false)
  }
  private func resolve(_ name: String, _ arguments: JSON) throws(WireError) -> ResolvedOperation {
    try resolve(try find(name), arguments)
  }

  func resolve(_ operation: Operation, _ arguments: JSON) throws(WireError) -> ResolvedOperation {
    let name = operation.name
    switch operation.kind {
    case .query(let make):
      return .query(
        ResolvedQuery(
          text: Array(name.utf8) + Canonical.bytes(arguments),
          takesCaller: operation.takesCaller,
          makeEvaluator: { caller throws(WireError) in try make(arguments, caller) }
        ),
        once: false
      )
    case .command(let body): return .command(text: name, body, arguments, nil)
    case .stream(let open): return .stream(open, arguments, nil)
    }
  }

  /// The registered operations by their names.
  var sorted: [Operation] { operations.withLock { $0.values.sorted { $0.name < $1.name } } }

  /// The registered operations: `[{"name":…,"kind":…,"arguments":…}]`.
  var described: JSON {
    .array(
      sorted.map { operation in
        var entry: JSON.Object = [
          "name": .string(operation.name), "kind": .string(operation.kind.name),
        ]
        entry["arguments"] = operation.arguments
        return .object(entry)
      }
    )
  }
}
