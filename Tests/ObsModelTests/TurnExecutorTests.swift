import ObsModel
import Observation
import Synchronization
import Testing

/// What a turn promises.
///
/// The thread is shared with every other test in the process, so these tests
/// count their own work, and of a ``Turn`` only what holds for all.
@Suite("TurnExecutor", .timeLimit(.minutes(5)))
@ObsActor
struct TurnExecutorTests {
  // MARK: One value a turn

  @Test("A turn that changed a query is one evaluation and one value, however many jobs changed it")
  func oneValuePerTurn() async throws {
    let pair = Pair()
    let evaluations = Box(0)
    let values = Box<[Int]>([])
    let evaluation = ObservationsEvaluation {
      evaluations.value += 1
      return pair.a
    } deliver: { value in
      values.value.append(value)
      return true
    }
    defer { evaluation.end() }
    await nextTurn()
    evaluations.value = 0
    values.value = []
    let changed = Box(false)
    await withTurnEnds { _ in
      #expect(evaluations.value == (changed.value ? 1 : 0))
      #expect(values.value == (changed.value ? [pair.a] : []))
      changed.value = false
      evaluations.value = 0
      values.value = []
    } _: {
      for round in 1...100 {
        await submitAndWait(jobs: 1 + round % 7) {
          changed.value = true
          pair.bump()
          pair.bump()
        }
      }
    }
    #expect(pair.a == (1...100).reduce(0) { $0 + 2 * (1 + $1 % 7) })
  }

  @Test("wake() in a turn that changed the query too is still one value")
  func oneWakePerTurn() async throws {
    let pair = Pair()
    let values = Inbox<Int>()
    let evaluation = ObservationsEvaluation {
      pair.a
    } deliver: { value in
      values.put(value)
      return true
    }
    defer { evaluation.end() }
    #expect(try await values.next() == 0)
    await nextTurn()
    evaluation.wake()
    pair.bump()
    evaluation.wake()
    pair.bump()
    #expect(try await values.next() == 2)
    await nextTurn()
    pair.bump()
    #expect(try await values.next() == 3)
  }

  @Test("A new evaluation delivers before the end of the turn that opened it")
  func opensInItsTurn() async {
    let delivered = Box(0)
    let pair = Pair()
    let evaluation = Box<(any Evaluation)?>(nil)
    await withTurnEnds { _ in
      #expect(delivered.value == (evaluation.value == nil ? 0 : 1))
    } _: {
      await nextTurn()
      evaluation.value = ObservationsEvaluation {
        pair.a
      } deliver: { _ in
        delivered.value += 1
        return true
      }
      await nextTurn()
    }
    evaluation.value?.end()
  }

  // MARK: The cut

  @Test("Every turn end is one consistent cut over all queries, in a storm of producers")
  func consistentCut() async {
    let pair = Pair()
    let latest = (0..<50).map { _ in Box<Pair.Values?>(nil) }
    let evaluations = latest.map { latest in
      ObservationsEvaluation {
        pair.values
      } deliver: { values in
        latest.value = values
        return true
      }
    }
    defer { for evaluation in evaluations { evaluation.end() } }
    let cuts = Box(0)
    let broken = Box(0)
    await withTurnEnds { _ in
      cuts.value += 1
      let cut = pair.values
      if cut.a != cut.b || latest.contains(where: { $0.value != cut }) { broken.value += 1 }
    } _: {
      await produce(pair, producers: 8, each: 1000)
    }
    #expect(broken.value == 0)
    #expect(cuts.value > 0)
    #expect(pair.values == Pair.Values(a: 8000, b: 8000))
    #expect(latest.allSatisfy { $0.value == pair.values })
  }

  @Test("Evaluations that evaluations cause run before the end of the same turn")
  func evaluationsOfEvaluations() async {
    let stages = (0..<10).map { _ in Pair() }
    let evaluations = zip(stages, stages.dropFirst()).map { stage, next in
      ObservationsEvaluation {
        stage.a
      } deliver: { value in
        next.a = value
        return true
      }
    }
    defer { for evaluation in evaluations { evaluation.end() } }
    let broken = Box(0)
    await withTurnEnds { _ in
      if stages.contains(where: { $0.a != stages[0].a }) { broken.value += 1 }
    } _: {
      for number in 1...100 {
        stages[0].a = number
        await nextTurn()
      }
    }
    #expect(broken.value == 0)
    #expect(stages[9].a == 100)
  }

  // MARK: Admission

  @Test("A turn admits no more than its share of waiting jobs")
  func boundedAdmission() async {
    let count = TurnExecutor.jobsPerTurn * 10
    let mine = Box(0)
    let most = Box(0)
    let turns = Box(0)
    let overfull = Box(0)
    await withTurnEnds { turn in
      if mine.value > 0 { turns.value += 1 }
      most.value = max(most.value, mine.value)
      if turn.ordinaryJobs > TurnExecutor.jobsPerTurn { overfull.value += 1 }
      mine.value = 0
    } _: {
      await submitAndWait(jobs: count) { mine.value += 1 }
      await nextTurn()
    }
    #expect(most.value <= TurnExecutor.jobsPerTurn)
    #expect(turns.value >= 10)
    #expect(overfull.value == 0)
  }

  @Test("After a slow job the turn admits no other: delivery comes first")
  func slowJob() async throws {
    let pair = Pair()
    let order = Inbox<String>()
    let evaluation = ObservationsEvaluation {
      pair.a
    } deliver: { value in
      order.put("value \(value)")
      return true
    }
    defer { evaluation.end() }
    #expect(try await order.next() == "value 0")
    await nextTurn()
    ObsActor.executor.submit {
      ObsActor.assumeIsolated { pair.bump() }
      // Work, not a wait: the job is slow.
      let end = ContinuousClock.now + .milliseconds(20)
      while ContinuousClock.now < end {}
      order.put("slow job")
    }
    ObsActor.executor.submit { order.put("next job") }
    #expect(try await order.next() == "slow job")
    #expect(try await order.next() == "value 1")
    #expect(try await order.next() == "next job")
  }

  @Test("Producers that never pause cannot starve delivery")
  func noStarvation() async throws {
    let pair = Pair()
    let values = Inbox<Int>()
    let running = Switch()
    let evaluation = ObservationsEvaluation {
      pair.a
    } deliver: { value in
      values.put(value)
      return true
    }
    defer { evaluation.end() }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 { flood(pair, while: running) }
      for _ in 0..<4 {
        group.addTask {
          while running.isOn { await pair.bump() }
        }
      }
      // Each producer is always waiting in the queue: still every turn delivers.
      var last = -1
      for _ in 0..<100 {
        guard let value = try? await values.next() else { break }
        #expect(value > last)
        last = value
      }
      running.turnOff()
    }
  }

  // MARK: Order

  @Test("A call from the actor to itself does not suspend: no turn ends in its middle")
  func callsWithinTheActor() async {
    let pair = Pair()
    let torn = Box(0)
    await withTurnEnds { _ in
      if pair.a != pair.b { torn.value += 1 }
    } _: {
      for _ in 0..<100 {
        pair.a += 1
        await onActor { pair.b += 1 }
        await nextTurn()
      }
    }
    #expect(torn.value == 0)
    #expect(pair.values == Pair.Values(a: 100, b: 100))
  }

  @Test(
    "Closures and tasks run in the order in which they were handed over, whatever their priority"
  )
  func order() async throws {
    let order = Box<[Int]>([])
    let done = Inbox<Void>()
    for number in 0..<3000 {
      switch number % 3 {
      case 0:
        ObsActor.executor.submit { ObsActor.assumeIsolated { order.value.append(number) } }
      case 1: Task(priority: .background) { order.value.append(number) }
      default: Task(priority: .high) { order.value.append(number) }
      }
    }
    ObsActor.executor.submit { done.put(()) }
    try await done.next()
    #expect(order.value.count == 3000)
    let firstWrong = order.value.indices.first { order.value[$0] != $0 }
    #expect(firstWrong == nil)
  }

  @Test("The order of each of several threads is kept")
  func orderPerThread() async {
    let received = Box<[Int: [Int]]>([:])
    await withTaskGroup(of: Void.self) { group in
      for producer in 0..<4 {
        group.addTask { @concurrent in
          for number in 0..<2000 {
            ObsActor.executor.submit {
              ObsActor.assumeIsolated { received.value[producer, default: []].append(number) }
            }
          }
        }
      }
    }
    await nextTurn()
    for producer in 0..<4 { #expect(received.value[producer] == Array(0..<2000)) }
  }

  @Test("Turns are numbered without gaps, and say what they did")
  func numbering() async {
    let turns = Box<[Turn]>([])
    await withTurnEnds {
      turns.value.append($0)
    } _: {
      for _ in 0..<100 { await nextTurn() }
    }
    let numbers = turns.value.map(\.number)
    #expect(numbers.count >= 100)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
    #expect(turns.value.allSatisfy { $0.ordinaryJobs + $0.evaluationJobs > 0 })
  }

  @Test("A participant that was removed is not called again")
  func removedParticipant() async {
    let calls = Box(0)
    let watch = TurnWatch { _ in calls.value += 1 }
    ObsActor.executor.add(watch)
    await nextTurn()
    ObsActor.executor.remove(watch)
    let before = calls.value
    #expect(before > 0)
    await nextTurn()
    #expect(calls.value == before)
  }

  // MARK: Isolation

  @Test("The executor knows its thread, with and without a task")
  @concurrent nonisolated func isolation() async throws {
    #expect(ObsActor.executor.isIsolatingCurrentContext() == false)
    #expect(!ObsActor.executor.isCurrent)
    let answers = Inbox<Bool>()
    ObsActor.executor.submit {
      answers.put(ObsActor.executor.isIsolatingCurrentContext() == true)
      // Both spellings; either traps elsewhere.
      ObsActor.preconditionIsolated()
      ObsActor.shared.preconditionIsolated()
      answers.put(ObsActor.assumeIsolated { ObsActor.executor.isCurrent })
    }
    #expect(try await answers.next())
    #expect(try await answers.next())
    await onActor {
      #expect(ObsActor.executor.isIsolatingCurrentContext() == true)
      ObsActor.shared.preconditionIsolated()
    }
    #expect(!ObsActor.executor.isCurrent)
  }

  @Test("assumeIsolated hands on what its closure returns or throws")
  func assumeIsolated() throws {
    struct Refused: Error {}
    #expect(ObsActor.assumeIsolated { 42 } == 42)
    #expect(throws: Refused.self) { try ObsActor.assumeIsolated { throw Refused() } }
  }
}

// MARK: Producers

/// Hands over `jobs` closures at once; returns in a later turn than the last of them.
@ObsActor
private func submitAndWait(jobs: Int, _ work: @escaping @ObsActor @Sendable () -> Void) async {
  for _ in 0..<jobs { ObsActor.executor.submit { ObsActor.assumeIsolated(work) } }
  await nextTurn()
}

/// Changes the pair from several tasks off the actor, one command after the other in each.
private nonisolated func produce(_ pair: Pair, producers: Int, each: Int) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<producers {
      group.addTask { @concurrent in
        for _ in 0..<each { await pair.bump() }
      }
    }
  }
}

/// On until it is turned off, for all threads.
private final class Switch: Sendable {
  private let on = Atomic(true)

  var isOn: Bool { on.load(ordering: .relaxed) }

  func turnOff() { on.store(false, ordering: .relaxed) }
}

/// A job that hands itself over again, so that the queue is never empty.
private nonisolated func flood(_ pair: Pair, while running: Switch) {
  ObsActor.executor.submit {
    guard running.isOn else { return }
    ObsActor.assumeIsolated { pair.bump() }
    flood(pair, while: running)
  }
}

@ObsActor
private func onActor(_ body: @ObsActor () -> Void) async { body() }
