import ObsModel
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
  ///
  /// Beside them stand `watch` and `query` (a text of the language), `patch` and `merge` (PROTOCOL.md 3.2).
  func resolve(
    _ document: CarrierDocument,
    _ live: LiveOptions
  ) throws(WireError) -> ResolvedOperation {
    let shape = CarrierShape(document)
    let fields = document.fields.filter { !$0.isTypeName }
    if document.kind == .mutation { return try mutation(fields, document, shape, live) }
    if document.kind == .subscription, fields.count == 1, let field = fields.first,
      !CarrierField.queries.contains(field.name),
      case .stream(let open) = try find(field).kind
    {
      return .stream(open, .object(field.arguments), shape)
    }
    return .query(try query(fields, document, shape), once: document.kind == .query)
  }

  private func mutation(
    _ fields: [CarrierDocument.Field],
    _ document: CarrierDocument,
    _ shape: CarrierShape,
    _ live: LiveOptions
  ) throws(WireError) -> ResolvedOperation {
    guard fields.count == 1, let field = fields.first else {
      throw refusal(fields.first, "a mutation carries exactly one command")
    }
    if CarrierField.commits.contains(field.name) {
      return .commit(try commit(field.name, field.arguments, live, shape: shape))
    }
    guard case .command(let body) = try find(field).kind else {
      throw refusal(field, "a mutation carries exactly one command")
    }
    return .command(
      text: String(decoding: document.canonical, as: UTF8.self),
      body,
      .object(field.arguments),
      shape
    )
  }

  private func find(_ field: CarrierDocument.Field) throws(WireError) -> Operation {
    do throws(WireError) {
      return try find(field.name)
    } catch {
      throw error.at(field)
    }
  }

  private func query(
    _ fields: [CarrierDocument.Field],
    _ document: CarrierDocument,
    _ shape: CarrierShape
  ) throws(WireError) -> ResolvedQuery {
    var parts: [ResolvedQuery] = []
    for field in fields {
      if CarrierField.queries.contains(field.name) {
        do throws(WireError) {
          parts.append(try languageField(field))
        } catch {
          throw error.at(field)
        }
        continue
      }
      let operation = try find(field)
      guard case .query = operation.kind,
        case .query(let part, _) = try resolve(operation, .object(field.arguments))
      else {
        throw refusal(
          field,
          "`\(field.name)` is a \(operation.kind.name); use it alone, in its own kind"
        )
      }
      parts.append(part)
    }
    let all = parts
    return ResolvedQuery(
      text: Array("carrier ".utf8) + document.canonical,
      takesCaller: all.contains(where: \.takesCaller),
      warnings: all.flatMap(\.warnings),
      makeEvaluator: { caller throws(WireError) in
        var evaluators: [any Evaluator] = []
        for part in all { evaluators.append(try part.makeEvaluator(caller)) }
        return CarrierEvaluator(evaluators, shape)
      }
    )
  }

  /// `watch(query: "…", variables: {…})`.
  private func languageField(_ field: CarrierDocument.Field) throws(WireError) -> ResolvedQuery {
    for name in field.arguments.keys where name != "query" && name != "variables" {
      throw badArgument(name, "is unknown; `\(field.name)` takes query, variables")
    }
    guard let text = field.arguments["query"]?.stringValue else {
      throw badArgument("query", "must be the text of a query")
    }
    let variables = field.arguments["variables"] ?? .null
    guard variables.isNull || variables.objectValue != nil else {
      throw badArgument("variables", "must be an object")
    }
    return try query(text, variables.objectValue ?? [:])
  }

  private func badArgument(_ name: String, _ what: String) -> WireError {
    WireError(
      .badVariables,
      "the argument `\(name)` \(what)",
      extensions: ["argument": .string(name)]
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

/// The root fields of carrier documents that every server has.
private enum CarrierField {
  static let queries = ["watch", "query"]
  static let commits = ["patch", "merge"]
}

extension WireError {
  /// The same error, placed at a field of a carrier document unless it names a place itself.
  fileprivate func at(_ field: CarrierDocument.Field) -> WireError {
    guard locations.isEmpty else { return self }
    var error = self
    error.locations = [field.location]
    error.extensions["offset"] = .int(Int64(field.offset))
    return error
  }
}

/// Evaluates the fields of a carrier document together: their values are of one moment.
@ObsActor
private final class CarrierEvaluator: Evaluator {
  private let parts: [any Evaluator]
  private let shape: CarrierShape

  init(_ parts: [any Evaluator], _ shape: CarrierShape) {
    self.parts = parts
    self.shape = shape
  }

  func evaluate() -> Outcome {
    var values: [[UInt8]] = []
    for part in parts {
      let outcome = part.evaluate()
      guard case .value(let bytes) = outcome else { return outcome }
      values.append(bytes)
    }
    return .value(shape.assemble(values))
  }

  func end() {
    for part in parts { part.end() }
  }

  var explanation: JSON.Object? {
    ["kind": "carrier", "fields": .array(parts.map { .object($0.explanation ?? [:]) })]
  }
}
