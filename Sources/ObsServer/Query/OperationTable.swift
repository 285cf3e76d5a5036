import ObsWire
import Synchronization

/// What a `subscribe` message comes to.
enum ResolvedOperation: Sendable {
  case query(ResolvedQuery, once: Bool)
  /// Runs once. The text names it among idempotency keys.
  case command(text: String, CommandBody, JSON, CarrierShape?)
  case stream(StreamOpener, JSON, CarrierShape?)
  /// Known at once.
  case value([UInt8])
}

/// The names that a server answers to; asked from the socket loop, filled from anywhere.
final class OperationTable: Sendable {
  private let operations = Mutex<[String: Operation]>([:])

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
    try refuseDocumentOptions(payload.live)
    if payload.query.isEmpty {
      guard let name = payload.operationName, !name.isEmpty else {
        throw WireError(
          .unknownOperation,
          "payload.query is empty and payload.operationName is missing",
          extensions: ["hint": "name a registered operation, or send `$describe` to list them"]
        )
      }
      return try resolve(name, .object(payload.variables))
    }
    if CarrierDocument.isCarrier(payload.query) {
      return try resolve(CarrierDocument(parsing: payload.query, variables: payload.variables))
    }
    throw WireError(
      .unknownOperation,
      "this server answers registered operations only, not query text",
      extensions: [
        "hint": """
        leave payload.query empty and set payload.operationName, or write a document with its keyword and \
        a name: `query Name { … }`
        """
      ]
    )
  }

  /// Options that mean something only where there is a document are refused, not ignored.
  private func refuseDocumentOptions(_ live: LiveOptions) throws(WireError) {
    if live.ifSeq != nil || live.minSeq != nil {
      throw WireError(
        .unavailable,
        "`ifSeq` and `minSeq` need a document, which this server has not"
      )
    }
  }

  private func resolve(_ name: String, _ arguments: JSON) throws(WireError) -> ResolvedOperation {
    if name == "$describe" { return .value(describe().encoded) }
    let operation = try find(name)
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

  /// The answer to `$describe`: `{"operations":[{"name":…,"kind":…,"arguments":…}]}`.
  private func describe() -> JSON {
    let all = operations.withLock { $0.values.sorted { $0.name < $1.name } }
    let list = all.map { operation -> JSON in
      var entry: JSON.Object = [
        "name": .string(operation.name), "kind": .string(operation.kind.name),
      ]
      entry["arguments"] = operation.arguments
      return .object(entry)
    }
    return ["operations": .array(list), "language": .null]
  }
}
