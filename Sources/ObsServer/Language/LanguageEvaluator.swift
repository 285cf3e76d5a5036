import ObsModel
import ObsQuery
import ObsWire

/// Evaluates one query of the language again and again: the body of its live query.
@ObsActor
final class LanguageEvaluator: Evaluator {
  private let language: Language
  private let expression: Expression
  private let prepared: PreparedQuery
  private var tracker: QueryTracker?
  private var last: [UInt8] = []

  /// - Throws: `undefined-variable`, `unknown-function`: they do not heal.
  init(_ language: Language, _ expression: Expression, _ variables: JSON.Object) throws(WireError) {
    self.language = language
    self.expression = expression
    do throws(QueryError) {
      prepared = try PreparedQuery(
        expression,
        variables: variables,
        functions: language.functions.bodies(of: expression.functionNames)
      )
    } catch {
      throw error.wire
    }
  }

  func evaluate() -> Outcome {
    if tracker == nil, let document = language.document { tracker = QueryTracker(document) }
    do throws(QueryError) {
      let bytes = try language.withRoot(tracker) { (root: Value) throws(QueryError) -> [UInt8] in
        try write(root)
      }
      // 3 and 3.0 are the same value: then subscribers hear nothing.
      if !isSame(bytes) { last = bytes }
      return .value(last)
    } catch {
      return error.code.mayHeal ? .failure(error.wire) : .ended(error.wire)
    }
  }

  private func write(_ root: Value) throws(QueryError) -> [UInt8] {
    let limits = language.limits
    let value = try prepared.evaluate(root, limits: limits.evaluation)
    var writer = JSONWriter()
    do throws(QueryError) {
      try value.write(to: &writer, limit: limits.valueBytes)
    } catch {
      guard error.code == .resultTooLarge else { throw error }
      throw QueryError(
        .resultTooLarge,
        "the value has more than the \(limits.valueBytes) bytes that limits.valueBytes allows",
        hint: error.hint
      )
    }
    return writer.bytes
  }

  private func isSame(_ bytes: [UInt8]) -> Bool {
    if bytes == last { return true }
    let limits = JSONLimits.unlimited
    guard !last.isEmpty, bytes.contains(UInt8(ascii: ".")) || last.contains(UInt8(ascii: ".")),
      let new = try? JSON(parsing: bytes, limits: limits),
      let old = try? JSON(parsing: last, limits: limits)
    else { return false }
    return new == old
  }

  func end() {
    tracker?.end()
    tracker = nil
  }

  /// The fields of hosted models that it reads, found by evaluating it once more.
  private var modelReads: [String] {
    let catalog = language.catalog
    guard !catalog.models.isEmpty else { return [] }
    return ModelReads.during { _ = try? write(catalog.root(catalog.document?.root)) }
  }

  var explanation: JSON.Object? {
    var facts: JSON.Object = [
      "kind": "expression",
      "query": .string(expression.canonicalText),
      "degree": .int(Int64(expression.nestingDegree)),
      "steps": .int(Int64(prepared.lastSteps)),
      "elements": .int(Int64(prepared.lastElements)),
      "reads": .array((tracker?.cellNames ?? []).map(JSON.string)),
    ]
    let models = modelReads
    if !models.isEmpty { facts["modelReads"] = .array(models.map(JSON.string)) }
    if let cause = tracker?.cause { facts["cause"] = .string(cause) }
    if !expression.functionNames.isEmpty {
      facts["functions"] = .array(expression.functionNames.map(JSON.string))
    }
    return facts
  }
}
