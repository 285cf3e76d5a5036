import ObsServer

/// What the demo has shown in the end.
struct Report: Sendable {
  private let statistics: ServerStatistics
  private let progress: Progress?
  private let operations: Int
  private let proposals: Int
  private let inReview: Int
  private let clients: Int
  private let skipped: Int
  private let events: Int
  private let torn: Int
  private let edits: Int
  /// What was not as it must be, in sentences.
  private let problems: [String]

  init(
    _ statistics: ServerStatistics,
    _ viewers: [Viewer],
    _ expectation: Expectation,
    edits: Int
  ) {
    let seen = viewers.map(\.seen)
    self.statistics = statistics
    self.edits = edits
    progress = seen.first?.progress
    operations = seen.first?.check?.operations ?? 0
    proposals = seen.first?.check?.proposals ?? 0
    inReview = seen.first?.inReview ?? 0
    clients = seen.count
    skipped = seen.map(\.skipped).reduce(0, +)
    events = seen.map(\.events).reduce(0, +)
    torn = seen.map(\.torn).reduce(0, +)
    var problems: [String] = []
    for (number, seen) in seen.enumerated() {
      var found = seen.problem.map { [$0] } ?? []
      if edits == 0 {
        found += expectation.differences(seen)
        if seen.events != expectation.transitions {
          found.append("\(seen.events) transitions arrived of \(expectation.transitions)")
        }
      }
      problems += found.map { "client \(number + 1): \($0)" }
    }
    self.problems = problems
  }

  /// Whether the replay has come to its end.
  var isComplete: Bool { progress?.finished == true }

  /// Whether the replay is complete and every client was shown what it must be shown.
  var isGood: Bool { isComplete && torn == 0 && problems.isEmpty }

  /// The summary, a line for each figure.
  var text: String {
    var lines = [
      isComplete ? "replay finished" : "ended before the replay did",
      row("transactions", progress?.transaction ?? 0),
      row("operations", operations),
      row("turns", statistics.turns),
      row("evaluations", statistics.evaluations, "each shared by \(clients) clients"),
      row("frames", statistics.framesSent),
      row("skips", skipped, "by the client that rests \(Demo.rest) after each value"),
      row("events", events, "\(events / max(clients, 1)) transitions to each client"),
      row("torn values", torn),
    ]
    if isComplete {
      let counts = "\(proposals) proposals, \(inReview) in review"
      if edits > 0 {
        lines.append("final counts  not compared: \(edits) commands have changed the board")
      } else if problems.isEmpty {
        lines.append("final counts  equal to swift-evolution.json: \(counts)")
      } else {
        lines.append("final counts  DIFFERENT from swift-evolution.json: \(counts)")
        lines += problems
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func row(_ name: String, _ figure: Int, _ note: String? = nil) -> String {
    name.padded(to: 14) + String(figure).padded(to: 7, atFront: true)
      + (note.map { "  \($0)" } ?? "")
  }
}
