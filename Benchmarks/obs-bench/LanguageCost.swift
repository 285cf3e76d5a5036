import ObsModel
import ObsQuery
import ObsWire
import Observation

/// What a query of the language costs: its text, and one change of one field that it reads, beside the same turn of a
/// plain `Observations` closure that reads one property.
@ObsActor
func measureLanguage() async throws {
  let text = """
    let $u = users in sort_by(values(issues)[?state == 'open' && votes > $least], &(-votes))[:10].\
    {id: id, title: title, votes: votes, assignee: lookup($u, assignee).name, labels: labels[*].name | [0:3]}
    """
  let rounds = 2_000
  var parsings: [Double] = []
  for _ in 0..<5 {
    let parsing = Stopwatch()
    for _ in 0..<rounds {
      let expression = try Expression(parsing: text, limits: .default)
      _ = try PreparedQuery(expression, variables: ["least": 5])
    }
    parsings.append(parsing.microseconds / Double(rounds))
  }

  let document = try Document(["issues": ["i01": ["title": "0", "state": "open"]]])
  let place = JSONPointer(tokens: ["issues", "i01"])
  let query = try PreparedQuery(Expression(parsing: "issues.i01.title", limits: .default))
  let tracker = QueryTracker(document)
  let board = Title()
  let turns = 4_000
  var alone: [Double] = []
  var evaluating: [Double] = []
  var live: [Double] = []
  var plain: [Double] = []
  var above: [Double] = []
  // In turns, so that a busy machine disturbs both alike.
  for _ in 0..<21 {
    let commits = Stopwatch()
    for turn in 0..<turns { try document.apply(Commit(merge: change(turn), at: place)) }
    let commit = commits.microseconds / Double(turns)
    let evaluations = Stopwatch()
    for _ in 0..<turns { _ = try query.evaluate(document.root).json }
    evaluating.append(evaluations.microseconds / Double(turns))
    let queried = try await perTurn(turns, { value(of: query, tracker) }) { turn in
      try document.apply(Commit(merge: change(turn), at: place))
    }
    tracker.end()
    let observed = try await perTurn(turns, { board.text }) { board.text = String($0) }
    alone.append(commit)
    live.append(queried)
    plain.append(observed)
    above.append(queried - observed - commit)
  }
  report([
    "workload": "language", "characters": .count(text.count),
    "parse_and_plan_cpu_us": .rounded(median(parsings)), "parse_and_plan_goal_us": 50,
    "turn_cpu_us": .rounded(median(live)), "plain_turn_cpu_us": .rounded(median(plain)),
    "commit_alone_cpu_us": .rounded(median(alone)),
    "untracked_evaluation_cpu_us": .rounded(median(evaluating)),
    "above_cpu_us": .rounded(median(above)), "above_goal_us": 5,
  ])
}

@ObsActor
private func change(_ turn: Int) -> JSON { ["title": .string(String(turn))] }

@ObsActor
private func value(of query: PreparedQuery, _ tracker: QueryTracker) -> String {
  let result = try? tracker.evaluate { (root: Value) throws(QueryError) -> Value in
    try query.evaluate(root, limits: .default)
  }
  guard case .string(let text)? = result else { return "" }
  return text
}

/// CPU microseconds of a turn that changes what a running evaluation has read, and of that evaluation.
@ObsActor
private func perTurn(
  _ turns: Int,
  _ evaluate: @escaping @ObsActor @Sendable () -> String,
  _ change: @ObsActor (Int) throws -> Void
) async throws -> Double {
  let counts = Counts()
  let evaluation = ObservationsEvaluation(evaluate) { _ in
    counts.delivered += 1
    return true
  }
  while counts.delivered < 1 { await Task.yield() }
  let stopwatch = Stopwatch()
  for turn in 1...turns {
    try change(turn)
    await Task.yield()
  }
  while counts.delivered <= turns { await Task.yield() }
  defer { evaluation.end() }
  return stopwatch.microseconds / Double(turns)
}

@ObsActor @Observable
private final class Title {
  var text = ""
}
