import Foundation
import Glibc
import ObsServer

/// The server side of the benchmarks: a model that changes at a fixed rate, and queries over it.
///
/// Driven by `Benchmarks/run`; prints `listening on URL` when ready, and one JSON line of counts when
/// it ends (SIGTERM).
let usage = """
  usage: obs-bench WORKLOAD [--port P] [--rate R] [--size B] [--queries Q]

  WORKLOAD   what changes each tick
    fanout     one query, watched by everybody
    joined     the queries q0 … q15
    sparse     the query s0; s1 … s499 never change
    slow       one query of --size bytes
    idle       nothing
    restart    --queries queries of --size bytes, when `tick` is called; --rate connections a second
    derived    a document; `commit` changes it
    durable    the same, from a new data directory --file; `send` and `alternate` change it

  commit       commits to `derived` at --port, --rate a second (0: as fast as it can), --queries times

    send         --queries commits to `durable` at --port, 256 at a time
  alternate    the same one by one, with an fsync in the directory --file between them

  peers      --peers clients of a `restart` at --port

  Without a server of their own:
    turns      in process: --queries queries, all changing / one changing, no sockets
    churn      --queries times: subscribe, get the value, leave
    packages   imports --file and counts in it
    starts     a start with --queries commits behind the snapshot, and one from a snapshot of --file
    language   parsing, and one change of one field
    budget     what the default budget is worth; --only TEXT: only queries that contain it

  --port P     0 (default) lets the system choose
  --rate R     ticks a second (default 20)
  --size B     bytes of a value (default 128)
  --queries Q  how many (default 1000)
  --peers N    for `peers` (default 2000)
  """

struct Options {
  var workload = ""
  var port = 0
  var rate = 20.0
  var size = 128
  var queries = 1000
  var peers = 2000
  var file = ""
  var only: String?

  init?(_ arguments: [String]) {
    guard let workload = arguments.first, workload != "--help" else { return nil }
    self.workload = workload
    var rest = arguments.dropFirst()
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch flag {
      case "--port": port = Int(value) ?? 0
      case "--rate": rate = Double(value) ?? 20
      case "--size": size = Int(value) ?? 128
      case "--queries": queries = Int(value) ?? 1000
      case "--peers": peers = Int(value) ?? 2000
      case "--file": file = value
      case "--only": only = value
      default: return nil
      }
    }
  }
}

@ObsActor @Observable
final class Load {
  var ticks: [Tick]
  let size: Int

  init(count: Int, size: Int) {
    ticks = [Tick](repeating: Tick(sequence: 0, sent: 0, padding: ""), count: count)
    self.size = size
  }

  func tick(_ sequence: Int64) {
    let now = Int64(Clock.nanoseconds())
    let padding = String(repeating: "x", count: max(0, size - 60))
    for index in ticks.indices {
      ticks[index] = Tick(sequence: sequence, sent: now, padding: padding)
    }
  }
}

/// What the load generator looks for: `"seq":` and `"t":`.
struct Tick: Encodable, JSONWritable {
  var sequence: Int64
  var sent: Int64
  var padding: String

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("seq")
    writer.write(sequence)
    writer.key("t")
    writer.write(sent)
    writer.key("pad")
    writer.write(padding)
    writer.endObject()
  }
}

/// Ticks at a fixed rate, without drift, from a thread of its own: what an outside producer costs.
func drive(_ load: Load, rate: Double) {
  guard rate > 0 else { return }
  let ticker = Thread {
    let period = UInt64(1e9 / rate)
    let start = Clock.nanoseconds()
    for sequence in Int64(1)... {
      ObsActor.executor.submit { ObsActor.assumeIsolated { load.tick(sequence) } }
      let next = start + UInt64(sequence) * period
      var until = timespec(tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
      unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil)
    }
  }
  ticker.start()
}

@ObsActor
func serve(_ options: Options) async throws {
  var configuration = ServerConfiguration(port: options.port)
  configuration.logLevel = .warning
  configuration.limits.operationBurst = 1_000_000
  configuration.limits.operationsPerSecond = 1_000_000
  configuration.limits.connectionsPerSecond = 1_000_000
  configuration.limits.connectionBurst = 1_000_000
  if options.workload == "restart" { return try await Restart.serve(configuration, options) }
  if options.workload == "durable" {
    return try await Commits.serve(configuration, directory: options.file)
  }
  if options.workload == "derived" { return try await Derived.serve(configuration) }
  let count = options.workload == "joined" ? 16 : 1
  let load = Load(count: count, size: options.size)
  let quiet = Load(count: 1, size: options.size)
  let server = try Server(configuration)
  for index in 0..<count { try await server.query("q\(index)") { load.ticks[index] } }
  if options.workload == "sparse" {
    try await server.query("s0") { load.ticks[0] }
    for index in 1..<500 { try await server.query("s\(index)") { quiet.ticks[0] } }
  }
  let address = try await server.start()
  print("listening on \(address.url)")
  fflush(nil)
  drive(load, rate: options.workload == "idle" ? 0 : options.rate)
  try await server.run()
  let figures = await server.statistics()
  print(
    """
    {"workload":"\(options.workload)","turns":\(figures.turns),"evaluations":\(figures.evaluations),\
    "encodings":\(figures.encodings),"frames":\(figures.framesSent),"skipped":\(figures.framesSkipped)}
    """
  )
}

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
  print(usage)
  exit(64)
}
switch options.workload {
case "churn": try await measureChurn(cycles: options.queries)
case "turns": try await measureTurns(queries: options.queries)
case "packages": try await measurePackages(options.file)
case "starts": try await Commits.measureStarts(commits: options.queries, file: options.file)
case "send": try await Commits.send(port: options.port, commits: options.queries)
case "alternate":
  try await Commits.alternate(
    port: options.port,
    commits: options.queries,
    directory: options.file
  )
case "language": try await measureLanguage()
case "peers": try await Restart.peers(options)
case "budget": try await measureBudget(only: options.only)
case "commit":
  try await Derived.commit(port: options.port, rate: options.rate, commits: options.queries)
default: try await serve(options)
}
