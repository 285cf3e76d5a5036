import ObsModel
import Observation
import Testing

/// The seed on iterations: slow ones, other isolations, several at once, and streams that are not
/// state.
@Suite("The seed: iterations", .timeLimit(.minutes(5)))
@ObsActor
struct SeedIterationTests {
  // MARK: Production faster than iteration

  @Test("A slow iteration skips to the newest value")
  func skipping() async {
    let person = Person("0", "0")
    let names = Observations { person.name }
    var iterator = names.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == "0 0")
    for number in 1...40 {
      person.firstName = "\(number)"
      person.lastName = "\(number)"
      await nextTurn()
    }
    #expect(await iterator.next(isolation: #isolation) == "40 40")
    person.firstName = "41"
    #expect(await iterator.next(isolation: #isolation) == "41 40")
  }

  @Test(
    "An iteration of varying speed sees rising values and the last one",
    arguments: Way.allCases
  )
  func lastValue(_ way: Way) async throws {
    let pair = Pair()
    let numbers = Following(way) { pair.a }
    defer { numbers.end() }
    #expect(try await numbers.next() == .value(0))
    let production = Task {
      for _ in 1...1000 {
        pair.bump()
        await Task.yield()
      }
    }
    var seen = 0
    while seen < 1000, case .value(let number) = try await numbers.next() {
      // An equal value may come again (the stock sequence does not compare), an older one never.
      #expect(number >= seen)
      seen = number
      if seen.isMultiple(of: 7) { await nextTurn() }
    }
    #expect(seen == 1000)
    await production.value
  }

  // MARK: Isolation

  @Test("The query runs on ObsActor wherever it is iterated")
  func otherIsolation() async throws {
    let person = Person("0", "0")
    let inside = Inbox<Bool>()
    let values = Observations.untilFinished {
      inside.put(ObsActor.executor.isCurrent)
      return person.lastName.isEmpty ? .finished : .next(person.name)
    }
    let names = Inbox<String?>()
    Task.detached { await iterateElsewhere(values, into: names) }
    #expect(try await names.next() == "0 0")
    #expect(try await inside.next())
    person.firstName = "1"
    #expect(try await names.next() == "1 0")
    #expect(try await inside.next())
    // Ended by value: to cancel an iteration off its actor can hang in Swift 6.3.
    person.lastName = ""
    #expect(try await names.next() == nil)
    #expect(try await inside.next())
  }

  @Test("An evaluation evaluates and delivers on ObsActor")
  func evaluationIsolation() async throws {
    let inside = Inbox<Bool>()
    let evaluation = ObservationsEvaluation {
      ObsActor.executor.isCurrent
    } deliver: { evaluated in
      inside.put(evaluated && ObsActor.executor.isCurrent)
      return true
    }
    defer { evaluation.end() }
    #expect(try await inside.next())
    evaluation.wake()
    #expect(try await inside.next())
  }

  // MARK: Several iterators

  /// Each has an `Observations` of its own: iterators of one value lose last values in Swift 6.3
  /// (swiftlang/swift#85683), so the product never shares one.
  @Test("Several iterations get the same values, each primed", arguments: Way.allCases)
  func several(_ way: Way) async throws {
    let person = Person("0", "0")
    let all = (0..<8).map { _ in Following(way) { person.name } }
    defer { for names in all { names.end() } }
    for names in all { #expect(try await names.next() == .value("0 0")) }
    await nextTurn()
    for number in 1...5 {
      person.firstName = "\(number)"
      person.lastName = "\(number)"
      for names in all { #expect(try await names.next() == .value("\(number) \(number)")) }
    }
  }

  @Test("An iteration that begins late begins with the value of now", arguments: Way.allCases)
  func late(_ way: Way) async throws {
    let person = Person("0", "0")
    let early = Following(way) { person.name }
    defer { early.end() }
    #expect(try await early.next() == .value("0 0"))
    person.firstName = "1"
    #expect(try await early.next() == .value("1 0"))
    let late = Following(way) { person.name }
    defer { late.end() }
    #expect(try await late.next() == .value("1 0"))
  }

  // MARK: Streams

  @Test("A stream of independent events stays an AsyncSequence that keeps every one")
  func ownEvents() async throws {
    let person = Person("", "")
    let (states, tracking) = AsyncStream.makeStream(of: Int.self)
    let names: any AsyncSequence<String, Never> & Sendable = Observations { person.firstName }
    let events: any AsyncSequence<Int, Never> & Sendable = states
    for number in 1...100 {
      person.firstName = "\(number)"
      tracking.yield(number)
    }
    tracking.finish()
    var received: [Int] = []
    for await number in events { received.append(number) }
    #expect(received == Array(1...100))
    for await name in names {
      #expect(name == "100")
      break
    }
  }
}

/// An actor that has nothing to do with models.
@globalActor
actor Elsewhere {
  static let shared = Elsewhere()
}

/// Iterates to the end, then puts nil.
@Elsewhere
private func iterateElsewhere(
  _ names: Observations<String, Never>,
  into inbox: Inbox<String?>
) async {
  for await name in names {
    Elsewhere.shared.preconditionIsolated()
    inbox.put(name)
  }
  inbox.put(nil)
}
