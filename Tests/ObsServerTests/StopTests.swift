import ObsTransport
import ObsWire
import Testing

@testable import ObsServer

@Suite("Stopping", .timeLimit(.minutes(5)))
struct StopTests {
  @Test("a stopped engine is freed with its queries, also when a request comes too late")
  @ObsActor
  func freed() async {
    let board = Board()
    let query = ResolvedQuery(text: [1], takesCaller: false) { _ in
      FunctionEvaluator { .value(JSON.int(Int64(board.counter)).encoded) }
    }
    let keys = (1...3).map {
      OperationKey(connection: ConnectionID(rawValue: 1), serial: UInt64($0))
    }
    weak var freed: QueryEngine?
    for _ in 0..<100 {
      let engine = QueryEngine(
        language: Language(limits: Limits()),
        limits: Limits(),
        linger: .zero,
        metrics: Metrics(),
        log: Log(threshold: LogThreshold(.off)) { _ in },
        readiness: Readiness(),
        publish: { _ in }
      )
      engine.start()
      engine.admit([.watch(keys[0], query, Caller(), WatchOptions())])
      while engine.liveQueryCount == 0 { await Task.yield() }
      // These wait in the executor's queue while the engine stops.
      engine.admit([
        .leave(keys[0]), .watch(keys[1], query, Caller(), WatchOptions()), .leave(keys[1]),
      ])
      engine.stop()
      freed = engine
    }
    // Waits for the turn that ends the last evaluation; the time limit is the failure.
    while freed != nil { await Task.yield() }
  }
}
