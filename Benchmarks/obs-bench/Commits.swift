import Foundation
import Glibc
import ObsClient
import ObsLog
import ObsModel
import ObsReplica
import ObsServer

/// Commits that are on disk when they are answered, and what a start from that disk costs.
enum Commits {
  /// Commits that are on their way at a time.
  static let flow = 256
  /// What one client has on its way.
  static let flowPerClient = 32

  /// Serves the document of `derived` from a new directory until SIGTERM, then says what is in it.
  @ObsActor
  static func serve(_ configuration: ServerConfiguration, directory: String) async throws {
    let log = try SQLiteLog(directory: directory)
    try await Replica.seed(log, with: Derived.beginning)
    let replica = try await Replica.open(log)
    let server = try Server(configuration)
    try await server.host(replica)
    let address = try await server.start()
    print("listening on \(address.url)")
    fflush(nil)
    try await server.run()
    await replica.close()
    report(["workload": "durable", "disk_bytes": .count(bytes(in: directory))])
  }

  /// Commits over sockets, each lane one after the other, until `commits` are answered.
  static func send(port: Int, commits: Int) async throws {
    let clients = try await connect(port, flow / flowPerClient)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<flow {
        group.addTask {
          for number in stride(from: lane, to: commits, by: flow) {
            let (place, change) = change(number)
            try await clients[lane % clients.count].merge(at: place, change)
          }
        }
      }
      try await group.waitForAll()
    }
    for client in clients { await client.close() }
  }

  /// One commit after the other over a socket, and between them an fsync of a page in a file of that directory.
  static func alternate(port: Int, commits: Int, directory: String) async throws {
    let client = try await connect(port, 1)[0]
    let disk = try PlainFile(directory + "/fsync")
    var (answers, syncs): ([UInt64], [UInt64]) = ([], [])
    for number in 0..<commits {
      let (place, change) = change(number)
      let begun = Clock.nanoseconds()
      try await client.merge(at: place, change)
      answers.append(Clock.nanoseconds() - begun)
      syncs.append(try disk.appendAndSync())
    }
    let (answer, sync) = (Double(median(answers)) / 1e6, Double(median(syncs)) / 1e6)
    report([
      "commits": .count(commits), "answer_ms_p50": .rounded(answer), "fsync_ms_p50": .rounded(sync),
      "above_fsync_ms": .rounded(answer - sync), "above_fsync_goal_ms": 1,
    ])
    await client.close()
  }

  private static func connect(_ port: Int, _ count: Int) async throws -> [Client] {
    var clients: [Client] = []
    for _ in 0..<count {
      let client = Client("ws://127.0.0.1:\(port)/ws")
      try await client.connect()
      clients.append(client)
    }
    return clients
  }

  private static func change(_ number: Int) -> (place: String, change: JSON) {
    (
      "/rows/\(Derived.key(Derived.row(of: number)))",
      ["score": .count(1_000 + number), "t": .int(Int64(Clock.nanoseconds()))]
    )
  }

  // MARK: Starts

  /// What it costs to start with `commits` commits in the tail, and from a snapshot of the document in `file`.
  @ObsActor
  static func measureStarts(commits: Int, file: String) async throws {
    try await withTemporaryDirectory { directory in
      try await Replica.seed(SQLiteLog(directory: directory), with: Derived.beginning)
      try await fill(directory, commits)
      let size = bytes(in: directory)
      let started = try await start(directory)
      report([
        "workload": "start", "from": "a tail of commits", "commits": .count(started.replayed),
        "disk_bytes_per_commit": .count(size / commits), "cpu_ms": .rounded(started.milliseconds),
        "goal_ms": 3_000,
      ])
    }
    let json = [UInt8](try Data(contentsOf: URL(filePath: file)))
    try await withTemporaryDirectory { directory in
      try await Replica.seed(
        SQLiteLog(directory: directory),
        with: JSON(parsing: json, limits: .unlimited)
      )
      let started = try await start(directory)
      report([
        "workload": "start", "from": "a snapshot", "json_bytes": .count(json.count),
        "snapshot_bytes": .count(started.snapshot), "disk_bytes": .count(bytes(in: directory)),
        "cpu_ms": .rounded(started.milliseconds), "goal_ms": 2_000,
      ])
    }
  }

  /// Commits in process, with keys, so many at a time; says what one costs without sockets.
  @ObsActor
  private static func fill(_ directory: String, _ commits: Int) async throws {
    let log = try SQLiteLog(directory: directory)
    var options = ReplicaOptions()
    options.snapshotBytes = .max
    let replica = try await Replica.open(log, options)
    let stopwatch = Stopwatch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<flow {
        group.addTask { try await commit(lane, commits, to: replica) }
      }
      try await group.waitForAll()
    }
    report([
      "workload": "commits in process", "in_flight": .count(flow), "commits": .count(commits),
      "cpu_us_per_commit": .rounded(stopwatch.microseconds / Double(commits)),
      "commits_per_fsync": .rounded(Double(commits) / Double(log.counters.batches)),
    ])
    await replica.close()
  }

  /// One lane of them.
  @ObsActor
  private static func commit(_ lane: Int, _ commits: Int, to replica: Replica) async throws {
    for number in stride(from: lane, to: commits, by: flow) {
      let (place, change) = change(number)
      let key = CommitRecord.Key("key-\(number)", fingerprint: "\(number)", seconds: 86_400)
      let commit = try Commit(merge: change, at: JSONPointer(place))
      _ = try await replica.commit(CommitRecord(commit, key: key))
    }
  }

  @ObsActor
  private static func start(
    _ directory: String
  ) async throws -> (milliseconds: Double, replayed: Int, snapshot: Int) {
    let stopwatch = Stopwatch()
    let replica = try await Replica.open(SQLiteLog(directory: directory))
    let spent = stopwatch.milliseconds
    let now = replica.now
    await replica.close()
    return (spent, now.replayed, now.snapshotBytes)
  }

  // MARK: Files

  private static func bytes(in directory: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
      return sum + ((attributes?[.size] as? Int) ?? 0)
    }
  }

  @ObsActor
  private static func withTemporaryDirectory(
    _ body: @ObsActor (String) async throws -> Void
  ) async throws {
    let directory = NSTemporaryDirectory() + "/obs-bench-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
  }
}

/// A file to which pages are appended, one fsync each: what a disk takes at least.
private final class PlainFile {
  private static let page = Data(repeating: 0x61, count: 4096)
  private let handle: FileHandle

  init(_ path: String) throws {
    try Data().write(to: URL(filePath: path))
    handle = try FileHandle(forWritingTo: URL(filePath: path))
  }

  deinit { try? handle.close() }

  /// The time that it took, in nanoseconds.
  func appendAndSync() throws -> UInt64 {
    let begun = Clock.nanoseconds()
    try handle.write(contentsOf: PlainFile.page)
    try handle.synchronize()
    return Clock.nanoseconds() - begun
  }
}
