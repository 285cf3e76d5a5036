import Foundation
import ObsModel
import ObsTestSupport
import Observation
import Testing

/// What an evaluation opened is freed when it ends, whenever that is.
@Suite("Leaks", .timeLimit(.minutes(5)))
@ObsActor
struct LeakTests {
  /// Resident memory stays flat.
  ///
  /// A cancelled stock iteration leaves about 1 KiB for each object that it read: 10 MiB in every
  /// round here. A few quiet rounds say that there is no leak; what other tests allocate meanwhile,
  /// and the address sanitizer's quarantine, are noise in the others.
  @Test("Evaluations of a property that never changes leave nothing behind: 100,000 of them")
  func openAndClose() async throws {
    let pair = Pair()
    let freed = Inbox<Void>()
    var growth: [Int] = []
    try await openAndClose(1_000, on: pair, freed)
    for _ in 0..<10 {
      let before = try ProcessMemory.residentKiB()
      try await openAndClose(10_000, on: pair, freed)
      growth.append(try ProcessMemory.residentKiB() - before)
    }
    #expect(growth.sorted()[2] < 2 << 10, "KiB that each 10,000 left: \(growth)")
  }

  private func openAndClose(_ count: Int, on pair: Pair, _ freed: Inbox<Void>) async throws {
    let delivered = Box(0)
    for _ in 0..<(count / 500) {
      let evaluations = (0..<500).map { _ in
        evaluation(freed: freed) {
          pair.a
        } deliver: { _ in
          delivered.value += 1
          return true
        }
      }
      await nextTurn()
      for evaluation in evaluations { evaluation.end() }
      for _ in evaluations { try await freed.next() }
    }
    #expect(delivered.value == count)
  }

  // MARK: Ends at every moment

  /// When an evaluation is ended.
  enum Moment: CaseIterable, Sendable {
    /// In the job that opened it, before its first evaluation.
    case atOnce
    /// While it waits for changes, and nothing changed.
    case idle
    /// After a change queued its next evaluation, in the same job.
    case queued
    /// After a wake did so.
    case woken
    /// Before the change, in the same job.
    case beforeChange
    /// Twice.
    case twice
  }

  @Test("end() delivers nothing more and frees the query", arguments: Moment.allCases)
  func end(_ moment: Moment) async throws {
    let pair = Pair()
    let numbers = Following(.evaluation) { pair.a }
    if moment != .atOnce {
      #expect(try await numbers.next() == .value(0))
      await nextTurn()
    }
    switch moment {
    case .atOnce, .idle: numbers.end()
    case .queued:
      pair.bump()
      numbers.end()
    case .woken:
      numbers.wake()
      numbers.end()
    case .beforeChange:
      numbers.end()
      pair.bump()
    case .twice:
      numbers.end()
      numbers.end()
    }
    #expect(try await numbers.next() == .ended)
    pair.bump()
    numbers.wake()
    await nextTurn()
    numbers.events.put(.value(-1))
    #expect(try await numbers.next() == .value(-1))
  }

  @Test("An evaluation that is ended by its own delivery is freed")
  func endInDelivery() async throws {
    let pair = Pair()
    let freed = Inbox<Void>()
    let running = Box<(any Evaluation)?>(nil)
    let deliveries = Box(0)
    running.value = evaluation(freed: freed) {
      pair.a
    } deliver: { value in
      deliveries.value += 1
      if value == 1 { running.value?.end() }
      return true
    }
    await nextTurn()
    pair.bump()
    try await freed.next()
    #expect(deliveries.value == 2)
  }

  @Test("An evaluation that is ended while it evaluates delivers nothing and is freed")
  func endInEvaluation() async throws {
    let pair = Pair()
    let freed = Inbox<Void>()
    let running = Box<(any Evaluation)?>(nil)
    let deliveries = Box(0)
    running.value = evaluation(freed: freed) {
      if pair.a == 1 { running.value?.end() }
      return pair.a
    } deliver: { _ in
      deliveries.value += 1
      return true
    }
    await nextTurn()
    pair.bump()
    try await freed.next()
    #expect(deliveries.value == 1)
  }

  @Test("A query outlives the models that it held weakly, and is freed when it ends")
  func modelsGoFirst() async throws {
    var person: Person? = Person("Jane", "Appleseed")
    let names = Following(.evaluation) { [weak person] in person?.name }
    #expect(try await names.next() == .value("Jane Appleseed"))
    await nextTurn()
    person = nil
    names.wake()
    #expect(try await names.next() == .value(nil))
    names.end()
    #expect(try await names.next() == .ended)
  }
}
