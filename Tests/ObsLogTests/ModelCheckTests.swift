import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// Random interleavings of appends, crashes, reopening, snapshots and truncation, against a plain reference.
///
/// `OBS_SEED` repeats a run; `OBS_LOG_STEPS` says how many steps the log on a failing disk takes.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct ModelCheckTests {
  @Test func memoryLogDoesWhatTheReferenceDoes() async throws {
    let seed = testSeed()
    let memory = MemoryLog()
    var model = try await ModelCheck(seed: seed, disk: nil) { memory }
    try await model.run(steps: 100_000)
  }

  @Test func sqliteLogDoesWhatTheReferenceDoesThroughCrashes() async throws {
    let seed = testSeed()
    let given = ProcessInfo.processInfo.environment["OBS_LOG_STEPS"].flatMap(Int.init)
    try await withDirectory { directory in
      let disk = FaultDisk()
      var model = try await ModelCheck(seed: seed, disk: disk) {
        try sqliteLog(directory, on: disk, checkpointPages: 60)
      }
      try await model.run(steps: given ?? 10_000)
      #expect(model.crashes > 0)
    }
  }
}
