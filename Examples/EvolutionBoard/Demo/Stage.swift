import Foundation
import ObsServer

/// Shows the demo while it runs: a live picture on a terminal, a line now and then elsewhere.
struct Stage: Sendable {
  private let server: Server
  private let viewers: [Viewer]
  private let address: ServerAddress

  init(_ server: Server, _ viewers: [Viewer], _ address: ServerAddress) {
    self.server = server
    self.viewers = viewers
    self.address = address
  }

  /// Shows until the task is cancelled.
  func play() async {
    if Console.isTerminal { await draw() } else { await tell() }
  }

  private func draw() async {
    let isStyled = ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
    let screen = Screen(isStyled: isStyled)
    screen.open()
    defer { screen.close() }
    // Asking for the figures is work for the model's thread, a turn: once a second is enough.
    var statistics = await server.statistics()
    var asked = ContinuousClock.now
    while !Task.isCancelled {
      if ContinuousClock.now - asked >= .seconds(1) {
        asked = .now
        statistics = await server.statistics()
      }
      screen.draw(picture(statistics).lines)
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  private func picture(_ statistics: ServerStatistics) -> Picture {
    let seen = viewers.map(\.seen)
    return Picture(
      seen: seen.first ?? Seen(),
      slow: seen.last ?? Seen(),
      statistics: statistics,
      address: address,
      torn: seen.map(\.torn).reduce(0, +)
    )
  }

  /// A line for each tenth of the replay.
  private func tell() async {
    Console.line("evolution-board: \(viewers.count) clients at \(address.url)")
    var told = -1
    while !Task.isCancelled {
      if let seen = viewers.first?.seen, let progress = seen.progress {
        let tenth = progress.transaction * 10 / max(1, progress.of)
        if tenth > told, tenth > 0 {
          told = tenth
          let flag = seen.anyReturnedThisYear == true ? "yes" : "no"
          Console.line(
            "\(progress.day)  \("\(progress.transaction)".padded(to: 5, atFront: true))/\(progress.of)"
              + "  in review \("\(seen.inReview ?? 0)".padded(to: 3, atFront: true))"
              + "  returned this year \(flag.padded(to: 3))"
              + "  newest \(seen.newest?.first?.id ?? "none")"
          )
        }
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }
}
