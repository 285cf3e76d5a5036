import Foundation
import Glibc
import ObsLog
import ObsModel
import ObsReplica
import ObsServer
import ObsWire

/// Commits through the log on disk, and starts from it: in process, without sockets.
@ObsActor
func measureCommits() async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "obs-commits-\(getpid())")
  defer { try? FileManager.default.removeItem(at: folder) }
  let replica = try await Replica.open(SQLiteLog(directory: folder.path))
  let one = try await measureOne(replica, folder)
  let many = try await measureMany(replica, count: 100_000, inFlight: 256)
  await replica.close()

  let tail = Stopwatch()
  let replayed = try await Replica.open(SQLiteLog(directory: folder.path))
  let tailMilliseconds = tail.milliseconds
  let commits = replayed.now.replayed
  await replayed.close()

  report([
    "workload": "commits", "in_flight_1": one, "in_flight_256": many,
    "start_with_tail": [
      "commits": .count(commits), "cpu_ms": .rounded(tailMilliseconds), "goal_ms": 3_000,
    ],
    "start_from_snapshot": try await measureSnapshot(folder.appending(path: "snapshot").path),
  ])
}

private func record(_ number: Int) throws -> CommitRecord {
  // About 200 bytes in the log, a hundred records that are changed again and again.
  let value: JSON = [
    "id": .count(number), "state": "open", "title": "A title of some length, as records have",
  ]
  return CommitRecord(
    try Commit(patch: [["op": "add", "path": .string("/r\(number % 100)"), "value": value]])
  )
}

/// One commit after the other, beside an fsync of as much.
@ObsActor
private func measureOne(_ replica: Replica, _ folder: URL) async throws -> JSON {
  var times: [Double] = []
  for number in 0..<2_000 {
    let begun = ContinuousClock.now
    _ = try await replica.commit(record(number))
    times.append((ContinuousClock.now - begun) / .milliseconds(1))
  }
  let file = unsafe open(folder.appending(path: "probe").path, O_CREAT | O_WRONLY, 0o600)
  defer { close(file) }
  let page = [UInt8](repeating: 1, count: 12_288)
  var syncs: [Double] = []
  for _ in 0..<500 {
    let begun = ContinuousClock.now
    _ = unsafe write(file, page, page.count)
    fdatasync(file)
    syncs.append((ContinuousClock.now - begun) / .milliseconds(1))
  }
  times.sort()
  syncs.sort()
  return [
    "p50_ms": .rounded(times[times.count / 2]), "p99_ms": .rounded(times[times.count * 99 / 100]),
    "fsync_p50_ms": .rounded(syncs[syncs.count / 2]), "goal": "one fsync + 1 ms",
  ]
}

/// So many at once, each answered before its place is taken by the next.
@ObsActor
private func measureMany(_ replica: Replica, count: Int, inFlight: Int) async throws -> JSON {
  let before = replica.logCounters
  let (begun, cpu) = (ContinuousClock.now, Stopwatch())
  try await withThrowingTaskGroup(of: Void.self) { group in
    for lane in 0..<inFlight {
      let numbers = stride(from: lane, to: count, by: inFlight)
      group.addTask { try await commit(numbers, to: replica) }
    }
    try await group.waitForAll()
  }
  let (seconds, spent) = ((ContinuousClock.now - begun) / .seconds(1), cpu.microseconds)
  let after = replica.logCounters
  let flushes = after.batches - before.batches
  return [
    "commits": .count(count), "per_second": .count(Int(Double(count) / seconds)),
    "commits_per_fsync": .rounded(Double(count) / Double(flushes)), "goal_per_fsync": 30,
    "cpu_us_per_commit": .rounded(spent / Double(count)), "goal_us": 60,
    "log_bytes_per_commit": .rounded(Double(after.bytes - before.bytes) / Double(count)),
  ]
}

@ObsActor
private func commit(_ numbers: StrideTo<Int>, to replica: Replica) async throws {
  for number in numbers { _ = try await replica.commit(record(number)) }
}

/// A snapshot of about 12 MB: written while nothing else happens, and a start from it.
@ObsActor
private func measureSnapshot(_ directory: String) async throws -> JSON {
  let members = (0..<64_000).map { number -> JSON.Object.Member in
    let value: JSON = [
      "id": .count(number), "name": .string("package-\(number)"), "size": .count(number * 37),
      "section": .string("section \(number % 40)"),
      "note": .string(String(repeating: "x", count: 90)),
    ]
    return (key: "package-\(number)", value: value)
  }
  try await Replica.seed(
    SQLiteLog(directory: directory),
    with: ["packages": .object(JSON.Object(members))]
  )
  var cpu = Stopwatch()
  let replica = try await Replica.open(SQLiteLog(directory: directory))
  let start = cpu.milliseconds
  _ = try await replica.commit(CommitRecord(try Commit(merge: ["n": 1])))
  cpu = Stopwatch()
  let snapshot = try await replica.snapshot()
  let write = cpu.milliseconds
  await replica.close()
  return [
    "bytes": .count(snapshot.bytes), "start_cpu_ms": .rounded(start), "goal_ms": 2_000,
    "write_cpu_ms": .rounded(write),
  ]
}
