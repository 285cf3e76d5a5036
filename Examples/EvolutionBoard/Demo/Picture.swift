import ObsServer

/// What the demo draws of one moment.
struct Picture {
  let seen: Seen
  let slow: Seen
  let statistics: ServerStatistics
  let address: ServerAddress
  let torn: Int

  private static let label = 13
  private static let states: [ProposalState] = [
    .implemented, .accepted, .activeReview, .returned, .rejected,
  ]

  var lines: [[Span]] {
    header + [[]] + figures + [[]] + bars + [[]] + newest + [[]] + transitions + [[]] + footer
  }

  // MARK: Blocks

  private var header: [[Span]] {
    let title = "Eleven years of Swift Evolution, live"
    let place = address.url.padded(to: Screen.columns - title.count - 2, atFront: true)
    let progress = seen.progress
    let total = progress?.of ?? 0
    let done = progress?.transaction ?? 0
    let width = 44
    let filled = total == 0 ? 0 : done * width / total
    let isFinished = progress?.finished == true
    return [
      [Span(" \(title)", .strong), Span(place, .faint)],
      [
        Span(" " + (progress?.day ?? "").padded(to: Picture.label - 1)),
        Span(String(repeating: "█", count: filled), isFinished ? .good : .accent),
        Span(String(repeating: "░", count: width - filled), .faint),
        Span("  \(done)/\(total)  "),
        Span(isFinished ? "done" : "\(total == 0 ? 0 : done * 100 / total) %", .faint),
      ],
    ]
  }

  private var figures: [[Span]] {
    let flag = seen.anyReturnedThisYear.map { $0 ? "yes" : "no" } ?? "…"
    return [
      [
        label("inReview"), Span((seen.inReview.map { "\($0)" } ?? "…").padded(to: 10), .strong),
        Span("anyReturnedThisYear  ", .faint), Span(flag.padded(to: 10), .strong),
        Span("check  ", .faint),
        torn == 0 ? Span("parts agree", .good) : Span("\(torn) torn", .bad),
      ]
    ]
  }

  private var bars: [[Span]] {
    let counts = seen.byState ?? [:]
    var rows = Picture.states.map { ($0.rawValue, counts[$0.rawValue] ?? 0) }
    rows.append(("others", counts.values.reduce(0, +) - rows.map(\.1).reduce(0, +)))
    return rows.enumerated().map { index, row in
      let (name, count) = row
      // One cell for twelve proposals; a state that occurs at all has one.
      let cells = count == 0 ? 0 : max(1, count / 12)
      return [
        label(index == 0 ? "byState" : ""), Span(name.padded(to: 14)),
        Span(String(count).padded(to: 5, atFront: true) + "  "),
        Span(String(repeating: "▇", count: min(cells, 44)), .accent),
      ]
    }
  }

  private var newest: [[Span]] {
    let proposals = seen.newest ?? []
    return (0..<Viewer.limit).map { index in
      let name = label(index == 0 ? "newest" : "")
      guard proposals.indices.contains(index) else { return [name] }
      let proposal = proposals[index]
      return [
        name, Span(proposal.id + "  "), Span(proposal.title.fitted(to: 40).padded(to: 42)),
        Span(proposal.state.rawValue, .accent),
      ]
    }
  }

  private var transitions: [[Span]] {
    (0..<3).map { index in
      let name = label(index == 0 ? "transitions" : "")
      guard seen.transitions.indices.contains(index) else { return [name] }
      let event = seen.transitions[index]
      let before = event.from?.rawValue ?? "new"
      return [
        name, Span(event.id + "  "), Span(event.title.fitted(to: 20).padded(to: 22)),
        Span(before + " → ", .faint), Span(event.to.rawValue, .accent),
      ]
    }
  }

  private var footer: [[Span]] {
    let place = slow.check.map { "at \($0.transaction), " } ?? ""
    let sharing = "\(statistics.liveQueries) for \(statistics.subscriptions) subscriptions"
    return [
      counters([
        ("transactions", seen.progress?.transaction ?? 0), ("turns", statistics.turns),
        ("evaluations", statistics.evaluations), ("frames", statistics.framesSent),
      ]),
      [
        label("slow client"), Span("\(place)skipped \(slow.skipped)".padded(to: 25)),
        Span("live queries  ", .faint), Span(sharing),
      ],
      [
        Span(
          " \(Console.obsctl) watch --operation byState --url \(address.url)".padded(to: 68),
          .faint
        ),
        Span("Ctrl-C ends", .faint),
      ],
    ]
  }

  // MARK: Pieces

  private func label(_ name: String) -> Span {
    Span(" " + name.padded(to: Picture.label - 1), .faint)
  }

  private func counters(_ counters: [(String, Int)]) -> [Span] {
    [Span(" ")] + counters.flatMap { [Span("\($0.0) ", .faint), Span("\($0.1)".padded(to: 9))] }
  }
}
