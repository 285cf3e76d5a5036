import Foundation
import ObsClient
import ObsServer

/// 10,000 rows in 100 regions, and commits that each put one row on top of its region.
enum Derived {
  static let rows = 10_000
  static let regions = 100

  /// What the document begins with; `t` is when a row was changed, for the load generator's latency.
  static let beginning: JSON = [
    "rows": .object(
      JSON.Object(
        (0..<rows).map { row in
          let fields: JSON = [
            "id": .string(key(row)), "region": .count(row % regions), "score": .count(row % 997),
            "t": 0,
          ]
          return (key(row), fields)
        }
      )
    )
  ]

  static func key(_ row: Int) -> String {
    let digits = String(row)
    return "r" + String(repeating: "0", count: 5 - digits.count) + digits
  }

  /// The row of a commit: region by region, so that two that follow each other wake different queries.
  static func row(of commit: Int) -> Int { commit * 7_919 % rows }

  /// Serves the document until SIGTERM, then reports.
  @ObsActor
  static func serve(_ configuration: ServerConfiguration) async throws {
    let server = try Server(configuration)
    let document = try Document(beginning)
    try await server.host(document)
    let address = try await server.start()
    print("listening on \(address.url)")
    fflush(nil)
    try await server.run()
    let figures = await server.statistics()
    report([
      "workload": "derived", "commits": .int(document.seq), "turns": .count(figures.turns),
      "evaluations": .count(figures.evaluations), "encodings": .count(figures.encodings),
      "frames": .count(figures.framesSent), "skipped": .count(figures.framesSkipped),
    ])
  }

  /// Commits over a socket: `rate` a second, or (0) as fast as they are answered, 16 on their way.
  ///
  /// Ends after `commits`.
  static func commit(port: Int, rate: Double, commits: Int) async throws {
    let client = Client("ws://127.0.0.1:\(port)/ws")
    try await client.connect()
    let start = Clock.nanoseconds()
    let flow = rate > 0 ? 1 : 16
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<flow {
        group.addTask {
          for number in stride(from: lane + 1, through: commits, by: flow) {
            if rate > 0 {
              let due = start + UInt64(Double(number) / rate * 1e9)
              let now = Clock.nanoseconds()
              if due > now { try await Task.sleep(for: .nanoseconds(Int64(due - now))) }
            }
            let change: JSON = [
              "score": .count(1_000 + number), "t": .int(Int64(Clock.nanoseconds())),
            ]
            try await client.merge(at: "/rows/\(key(row(of: number)))", change)
          }
        }
      }
      try await group.waitForAll()
    }
    let seconds = Double(Clock.nanoseconds() - start) / 1e9
    report(["commits": .count(commits), "per_second": .rounded(Double(commits) / seconds)])
    await client.close()
  }
}
