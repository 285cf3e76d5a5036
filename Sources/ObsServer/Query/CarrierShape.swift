import ObsWire

/// How the values of a carrier document's fields become its one `data` object (PROTOCOL.md 3.2).
struct CarrierShape: Sendable {
  private struct Part: Sendable {
    /// The member's name, ready to write: `"key":`.
    let key: [UInt8]
    /// The encoded value of `__typename`; nil for a field with a value of its own.
    let constant: [UInt8]?
    let selection: [CarrierDocument.Selection]?
  }

  private let parts: [Part]

  init(_ document: CarrierDocument) {
    parts = document.fields.map { field in
      Part(
        key: JSON.string(field.responseKey).encoded + [UInt8(ascii: ":")],
        constant: field.isTypeName ? JSON.string(document.kind.typeName).encoded : nil,
        selection: field.selection
      )
    }
  }

  /// Joins the values of the fields, in order, `__typename` left out.
  func assemble(_ values: [[UInt8]]) -> [UInt8] {
    var bytes = [UInt8(ascii: "{")]
    var next = values.makeIterator()
    for part in parts {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: part.key)
      if let constant = part.constant {
        bytes.append(contentsOf: constant)
      } else if let value = next.next() {
        bytes.append(contentsOf: project(value, through: part.selection))
      }
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private func project(
    _ value: [UInt8],
    through selection: [CarrierDocument.Selection]?
  ) -> [UInt8] {
    guard let selection, let json = try? JSON(parsing: value, limits: .unlimited) else {
      return value
    }
    return CarrierDocument.project(json, through: selection).encoded
  }
}

extension OperationTable {
  /// Resolves a document in GraphQL's form: registered operations are its root fields.
  func resolve(_ document: CarrierDocument) throws(WireError) -> ResolvedOperation {
    let shape = CarrierShape(document)
    let fields = document.fields.filter { !$0.isTypeName }
    var operations: [(field: CarrierDocument.Field, operation: Operation)] = []
    for field in fields { operations.append((field, try find(field, in: document))) }
    switch document.kind {
    case .subscription, .query:
      if document.kind == .subscription, operations.count == 1,
        case .stream(let open) = operations[0].operation.kind
      {
        return .stream(open, .object(operations[0].field.arguments), shape)
      }
      return .query(try query(operations, document, shape), once: document.kind == .query)
    case .mutation:
      guard operations.count == 1, case .command(let body) = operations[0].operation.kind else {
        throw refusal(fields.first, "a mutation carries exactly one command")
      }
      return .command(
        text: String(decoding: document.canonical, as: UTF8.self),
        body,
        .object(operations[0].field.arguments),
        shape
      )
    }
  }

  private func find(
    _ field: CarrierDocument.Field,
    in document: CarrierDocument
  ) throws(WireError) -> Operation {
    do throws(WireError) {
      return try find(field.name)
    } catch {
      var error = error
      error.locations = [field.location]
      error.extensions["offset"] = .int(Int64(field.offset))
      throw error
    }
  }

  private func query(
    _ operations: [(field: CarrierDocument.Field, operation: Operation)],
    _ document: CarrierDocument,
    _ shape: CarrierShape
  ) throws(WireError) -> ResolvedQuery {
    var makers: [(make: QueryMaker, arguments: JSON)] = []
    for (field, operation) in operations {
      guard case .query(let make) = operation.kind else {
        throw refusal(
          field,
          "`\(field.name)` is a \(operation.kind.name); use it alone, in its own kind"
        )
      }
      makers.append((make, .object(field.arguments)))
    }
    let all = makers
    return ResolvedQuery(
      text: Array("carrier ".utf8) + document.canonical,
      takesCaller: operations.contains { $0.operation.takesCaller },
      makeEvaluator: { caller throws(WireError) in
        var evaluators: [Evaluator] = []
        for (make, arguments) in all { evaluators.append(try make(arguments, caller)) }
        let parts = evaluators
        return {
          var values: [[UInt8]] = []
          for part in parts {
            let outcome = part()
            guard case .value(let bytes) = outcome else { return outcome }
            values.append(bytes)
          }
          return .value(shape.assemble(values))
        }
      }
    )
  }

  private func refusal(_ field: CarrierDocument.Field?, _ message: String) -> WireError {
    WireError(
      .forbidden,
      message,
      locations: field.map { [$0.location] } ?? [],
      extensions: field.map { ["offset": .int(Int64($0.offset))] } ?? [:]
    )
  }
}
