import Foundation
import ObsLog
import ObsTestSupport
import Testing

/// Plays random steps on a log and on a ``ReferenceLog``, and compares what they say.
struct ModelCheck {
  /// What the reference and the log do not agree about.
  struct Disagreement: Error, CustomStringConvertible {
    var description: String
  }

  private var random: SeededGenerator
  private var log: any CommitLog
  private var reference: ReferenceLog
  private var writers = [Writer(), Writer(), Writer()]
  /// For a log on a disk that can be made to fail: how the log is made anew after a crash.
  private let disk: FaultDisk?
  private let remake: () throws -> any CommitLog
  private(set) var crashes = 0

  init(seed: UInt64, disk: FaultDisk?, make: @escaping () throws -> any CommitLog) async throws {
    random = SeededGenerator(seed: seed)
    self.disk = disk
    remake = make
    log = try make()
    reference = ReferenceLog(id: try await log.open().id)
  }

  mutating func run(steps: Int) async throws {
    for step in 0..<steps {
      do {
        try await self.step()
      } catch {
        throw Disagreement(description: "step \(step): \(error)")
      }
    }
    try await compareAll()
    await log.close()
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func step() async throws {
    switch number(0...999) {
    case ..<620: try await append()
    case ..<680: try await appendKnown()
    case ..<700: try await appendOutOfOrder()
    case ..<740: try await truncate()
    case ..<760: try await putSnapshot()
    case ..<770: try await removeSnapshot()
    case ..<790: try await readSnapshot()
    case ..<880: try await follow()
    case ..<940: try await check()
    case ..<970 where disk != nil: try await crash()
    case ..<980: try await reopen()
    case ..<982: try await compareAll()
    default: break
    }
  }

  // MARK: Faults

  /// What was made to happen on the disk in this step.
  private enum Armed { case nothing, full, crash }

  /// Now and then the next operation meets a disk that fails or loses power.
  private mutating func arm() -> Armed {
    guard let disk, number(0...19) == 0 else { return .nothing }
    let after = number(0...12)
    disk.seed(number(0...2) == 0 ? 0 : UInt64(number(1...1_000_000)))
    switch number(0...3) {
    case 0:
      disk.fail(.write, .noSpace, after: after)
      return .full
    case 1: disk.fail(.sync, .eio, after: after / 6, times: 1)
    case 2: disk.fail(.anyChange, .powerLoss, after: after, times: 1)
    default: disk.fail(.write, number(0...1) == 0 ? .eio : .shortWrite, after: after, times: 1)
    }
    return .crash
  }

  /// Runs an operation that may meet a failing disk; true when it succeeded, nil when that is not known.
  private mutating func attempt(_ body: (any CommitLog) async throws -> Void) async throws -> Bool?
  {
    let armed = arm()
    let log = log
    let error: LogError?
    do {
      try await body(log)
      error = nil
    } catch let thrown as LogError {
      error = thrown
    }
    // Work behind the operation meets the same disk.
    if armed != .nothing { _ = try? await log.info() }
    disk?.heal()
    switch (armed, error) {
    case (.nothing, nil): return true
    case (.nothing, let error?): throw error
    case (.full, nil): return true
    case (.full, .full): return false
    case (.full, let error?): throw error
    case (.crash, _):
      try await die()
      return error == nil ? true : nil
    }
  }

  /// The process or the power is gone; a new log is opened.
  private mutating func die() async throws {
    guard let disk else { return }
    crashes += 1
    if number(0...1) == 0 {
      disk.powerOff(seed: number(0...2) == 0 ? 0 : UInt64(number(1...1_000_000)))
    } else {
      disk.kill()
    }
    await log.close()
    log = try remake()
    try await log.open()
  }

  // MARK: Steps

  private mutating func append() async throws {
    let which = number(0...2)
    let commits = (0..<number(0...3)).map { _ in
      commit(bytes: number(0...30) == 0 ? number(0...60_000) : number(0...300))
    }
    let batch = writers[which].next(commits)
    let place = Place(UInt64(reference.last + 1))
    let done = try await attempt { log in
      let found = try await log.append(batch)
      if found != place {
        throw Disagreement(description: "appended at \(found), not at \(place)")
      }
    }
    switch done {
    case true?: reference.append(batch)
    case false?: writers[which].n -= 1
    case nil:
      // It is in, or it is not; nothing else may be.
      let info = try await log.info()
      if info.last == place {
        reference.append(batch)
      } else {
        writers[which].n -= 1
      }
      try compare(info)
    }
  }

  private mutating func appendKnown() async throws {
    guard reference.last > 0 else { return }
    let place = number(max(1, reference.last - 30)...reference.last)
    var batch = reference.batches[place - 1]
    var expected = reference.answer(toKnown: place)
    if place > reference.base, number(0...4) == 0 {
      batch.commits.append([1])
      expected = .failure(.conflict(writer: batch.writer, n: batch.n))
    }
    try await expect(expected) { log in try await log.append(batch) }
  }

  private mutating func appendOutOfOrder() async throws {
    let which = number(0...2)
    var batch = writers[which].next("x")
    writers[which].n -= 1
    let expected = batch.n
    batch.n = number(0...1) == 0 ? 0 : batch.n + UInt64(number(1...5))
    try await expect(.failure(.outOfOrder(expected: expected))) { log in
      try await log.append(batch)
    }
  }

  private mutating func truncate() async throws {
    let before = number(reference.base...reference.last + 1)
    let done = try await attempt { log in try await log.truncate(before: Place(UInt64(before))) }
    let info = try await log.info()
    // Slices may have been removed before a failure; a removal is never undone, and never goes too far.
    let base = Int(info.base.message)
    let goal = max(reference.base, before - 1)
    guard done == true ? base == goal : (reference.base...goal).contains(base) else {
      throw Disagreement(description: "truncated to \(base), not \(goal)")
    }
    reference.base = base
    try compare(info)
  }

  private mutating func putSnapshot() async throws {
    if reference.snapshots.count > 6 { try await removeSnapshot() }
    let place = UInt64(number(reference.base...reference.last))
    let size = number(0...15) == 0 ? number(0...2_500_000) : number(0...5000)
    let content = [UInt8](repeating: UInt8(number(0...255)), count: size)
    let label = SnapshotLabel(
      place: Place(place),
      chain: reference.chains[Int(place)],
      digest: [1, 2],
      format: 1
    )
    let done = try await attempt { log in
      _ = try await log.snapshots.put(label, chunks: source([content]))
    }
    if done == true { reference.snapshots[place] = content }
    if done == nil {
      let found = try await log.snapshots.list().first { $0.label.place.message == place }
      if let found, try await ObsLogTests.content(log.snapshots, found) == content {
        reference.snapshots[place] = content
      }
    }
    try await compareSnapshots()
  }

  private mutating func removeSnapshot() async throws {
    guard let place = reference.snapshots.keys.sorted().randomElement(using: &random) else {
      return
    }
    let done = try await attempt { log in try await log.snapshots.remove(Place(place)) }
    let isThere = try await log.snapshots.list().contains { $0.label.place.message == place }
    if done == true || !isThere { reference.snapshots[place] = nil }
    try await compareSnapshots()
  }

  private mutating func readSnapshot() async throws {
    guard let found = try await log.snapshots.list().randomElement(using: &random) else { return }
    let content = try await ObsLogTests.content(log.snapshots, found)
    guard content == reference.snapshots[found.label.place.message] else {
      throw Disagreement(description: "the snapshot of \(found.label.place) has other bytes")
    }
  }

  private mutating func follow() async throws {
    guard reference.last > reference.base else { return }
    let after = number(reference.base...reference.last - 1)
    let count = min(number(1...20), reference.last - after)
    let entries = try await read(
      log,
      after: Place(UInt64(after)),
      chain: reference.chains[after],
      count: count
    )
    for (offset, entry) in entries.enumerated()
    where entry != reference.entry(after + 1 + offset) {
      throw Disagreement(description: "entry \(after + 1 + offset) is another")
    }
    guard entries.count >= count else {
      throw Disagreement(description: "\(entries.count) entries after \(after), not \(count)")
    }
  }

  private mutating func check() async throws {
    let place = number(max(0, reference.base - 5)...reference.last + 3)
    let isWrong = number(0...2) == 0
    let known = isWrong ? Hash.of([9]) : reference.chains[min(place, reference.last)]
    let asked = Place(UInt64(place))
    let expected: Result<Place, LogError> =
      place < reference.base
      ? .failure(.truncated(first: Place(UInt64(reference.base + 1))))
      : isWrong || place > reference.last ? .failure(.forked(at: asked)) : .success(asked)
    try await expect(expected) { log in
      try await log.check(asked, chain: known)
      return asked
    }
  }

  private mutating func crash() async throws {
    try await die()
    try compare(try await log.info())
  }

  private mutating func reopen() async throws {
    await log.close()
    try compare(try await log.open())
  }

  // MARK: Comparing

  private func expect(
    _ expected: Result<Place, LogError>,
    _ body: (any CommitLog) async throws -> Place
  ) async throws {
    let found: Result<Place, LogError>
    do {
      found = .success(try await body(log))
    } catch let error as LogError {
      found = .failure(error)
    }
    guard found == expected else {
      throw Disagreement(description: "answered \(found), not \(expected)")
    }
  }

  private func compare(_ info: LogInfo) throws {
    guard info.id == reference.id, info.last.message == UInt64(reference.last),
      info.base.message == UInt64(reference.base), info.chain == reference.chains[reference.last],
      info.baseChain == reference.chains[reference.base]
    else {
      throw Disagreement(
        description: "the log has \(info), not \(reference.base)…\(reference.last)"
      )
    }
  }

  private func compareSnapshots() async throws {
    let places = try await log.snapshots.list().map(\.label.place.message)
    guard places == reference.snapshots.keys.sorted() else {
      throw Disagreement(
        description: "snapshots \(places), not \(reference.snapshots.keys.sorted())"
      )
    }
  }

  private func compareAll() async throws {
    try compare(try await log.info())
    let entries = try await readAll(log)
    guard entries == (reference.base..<reference.last).map({ reference.entry($0 + 1) }) else {
      throw Disagreement(description: "the entries are others")
    }
    try await compareSnapshots()
    let findings = try await log.verify().findings
    guard findings.isEmpty else { throw Disagreement(description: "\(findings)") }
  }
}
