import ObsServer

/// Queries times turns, in process: what an evaluation costs where no socket is involved.
@ObsActor
func measureTurns(queries: Int) async throws {
  let cells = (0..<queries).map { _ in Cell() }
  let counts = Counts()
  var evaluations: [ObservationsEvaluation<Int>] = []
  for cell in cells {
    evaluations.append(
      ObservationsEvaluation(
        { cell.value },
        deliver: { _ in
          counts.delivered += 1
          return true
        }
      )
    )
  }
  while counts.delivered < queries { await Task.yield() }
  for (name, changed) in [("all", queries), ("one", 1)] {
    let turns = name == "all" ? 100 : 10_000
    let before = counts.delivered
    let stopwatch = Stopwatch()
    for turn in 1...turns {
      for cell in cells.prefix(changed) { cell.value = turn + (name == "all" ? 0 : 1_000_000) }
      await Task.yield()
    }
    while counts.delivered - before < changed * turns { await Task.yield() }
    let delivered = counts.delivered - before
    let microseconds = stopwatch.microseconds / Double(delivered)
    print(
      """
      {"workload":"turns","queries":\(queries),"changing":"\(name)","turns":\(turns),\
      "evaluations":\(delivered),"cpu_us_per_evaluation":\(microseconds)}
      """
    )
  }
  for evaluation in evaluations { evaluation.end() }
}

@ObsActor @Observable
final class Cell {
  var value = 0
}

@ObsActor
final class Counts {
  var delivered = 0
}
