import ObsModel
import ObsQuery
import ObsWire
import Observation

/// What the default budget is worth: evaluates expressions that are made to cost much a step, until they end or the
/// budget stops them.
///
/// Each is evaluated as a live query is, tracked and registered, over a large live document; CPU is that of all of it, and
/// of writing the result.
@ObsActor
func measureBudget(only name: String?, runs count: Int = 3) async throws {
  let document = try Document(BudgetModel.document)
  var worst: (cpu: Double, text: String) = (0, "")
  let models = Models((0..<100_000).map { Model(number: $0) })
  let catalogs: [(source: String, document: Document?, texts: [String])] = [
    ("document", document, BudgetQueries.texts), ("models", nil, BudgetQueries.modelTexts),
  ]
  for catalog in catalogs {
    for text in catalog.texts where name.map({ text.contains($0) }) ?? true {
      var runs: [BudgetRun] = []
      for _ in 0..<count { runs.append(try await BudgetRun(text, catalog.document, models)) }
      let run = runs.sorted { $0.cpu < $1.cpu }[count / 2]
      if run.cpu > worst.cpu { worst = (run.cpu, text) }
      report([
        "workload": "budget", "query": .string(text.count > 100 ? text.prefix(97) + "..." : text),
        "source": .string(catalog.source), "cpu_ms": .rounded(run.cpu),
        "cleanup_cpu_ms": .rounded(run.cleanup),
        "steps": .count(run.steps), "cells": .count(run.cells), "outcome": .string(run.outcome),
      ])
    }
  }
  report([
    "workload": "budget", "worst_cpu_ms": .rounded(worst.cpu), "goal_ms": 50,
    "query": .string(String(worst.text.prefix(100))),
  ])
}

/// One evaluation of one text, from its start to its value.
@ObsActor
private struct BudgetRun {
  let cpu: Double
  let cleanup: Double
  let steps: Int
  let cells: Int
  let outcome: String

  init(_ text: String, _ document: Document?, _ models: Models) async throws {
    // Walks nested three deep are refused when registered: those who allow them still have the budget.
    var limits = ExpressionLimits.default
    limits.degree = 5
    let expression = try Expression(parsing: text, limits: limits)
    let query = try PreparedQuery(expression, variables: ["plain": BudgetModel.plain])
    let tracker = document.map { QueryTracker($0) }
    let results = Results()
    let stopwatch = Stopwatch()
    let evaluation = ObservationsEvaluation<String>(
      {
        guard let tracker else { return Self.outcome(query, models.exposed) }
        return tracker.evaluate { Self.outcome(query, $0) }
      },
      deliver: {
        results.outcome = $0
        return true
      }
    )
    while results.outcome == nil { await Task.yield() }
    cpu = stopwatch.milliseconds
    outcome = results.outcome ?? ""
    steps = query.lastSteps
    cells = tracker?.cellCount ?? 0
    let ending = Stopwatch()
    evaluation.end()
    tracker?.end()
    await nextTurn()
    cleanup = ending.milliseconds
  }

  private static func outcome(_ query: PreparedQuery, _ root: Value) -> String {
    do throws(QueryError) {
      let value = try query.evaluate(root, limits: .default)
      var writer = JSONWriter()
      try value.write(to: &writer, limit: EvaluationLimits.default.resultBytes)
      return "\(writer.bytes.count) bytes"
    } catch {
      return error.code.rawValue + ": " + error.message
    }
  }
}

@ObsActor
private final class Results {
  var outcome: String?
}

@ObsActor @Observable
private final class Model {
  var number: Int
  init(number: Int) { self.number = number }
}

extension Model: @ObsActor Exposed {
  static let schema = Schema<Model> { Field("number", \.number) }
}

@ObsActor @Observable
private final class Models {
  var all: [Model]
  init(_ all: [Model]) { self.all = all }
}

extension Models: @ObsActor Exposed {
  static let schema = Schema<Models> { Field("all", \.all) }
}
