import ObsClient
import ObsServer

/// Subscribes and leaves over a real socket, each time with other arguments, on data that never
/// changes: memory must stay flat and no live query may be left.
func measureChurn(cycles: Int) async throws {
  var configuration = ServerConfiguration(port: 0)
  configuration.logLevel = .warning
  configuration.limits.operationBurst = 1_000_000
  configuration.limits.operationsPerSecond = 1_000_000
  let server = try Server(configuration)
  let quiet = await Load(count: 1, size: 128)
  try await server.query("cold") { (arguments: Churn) in
    [quiet.ticks[0].sequence, Int64(arguments.number)]
  }
  try await server.command("flush") {}
  let client = Client(try await server.start().url)
  func cycle(_ numbers: Range<Int>) async throws {
    for number in numbers {
      for try await _ in client.values("cold", Churn(number: number), as: [Int].self) { break }
    }
    try await client.call("flush")
  }
  let warm = cycles / 10
  try await cycle(0..<warm)
  let before = residentKiB()
  try await cycle(warm..<cycles)
  let figures = await server.statistics()
  print(
    """
    {"workload":"churn","cycles":\(cycles),"rss_kib_warm":\(before),"rss_kib_end":\(residentKiB()),\
    "live_queries":\(figures.liveQueries),"subscriptions":\(figures.subscriptions),\
    "evaluations":\(figures.evaluations)}
    """
  )
  await client.close()
  await server.stop()
}

struct Churn: Codable, Sendable {
  var number: Int
}
