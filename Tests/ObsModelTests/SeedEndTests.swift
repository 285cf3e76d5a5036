import ObsModel
import Observation
import Testing

/// How an iteration ends, as the seed has it: by value, with the model, by an error, by cancelling.
@Suite("The seed: ends", .timeLimit(.minutes(5)))
@ObsActor
struct SeedEndTests {
  struct Broken: Error, Equatable {
    var reason: String
  }

  // MARK: untilFinished

  @Test("A query that says .finished ends, and only then", arguments: Way.allCases)
  func finished(_ way: Way) async throws {
    let person = Person("Jane", "Appleseed")
    let hosts = Following<String?>(
      way,
      untilFinished: {
        person.lastName.isEmpty ? .finished : .next(person.homePage)
      }
    )
    defer { hosts.end() }
    // nil is a value like others, not an end.
    #expect(try await hosts.next() == .value(nil))
    person.homePage = "example.org"
    #expect(try await hosts.next() == .value("example.org"))
    person.homePage = nil
    #expect(try await hosts.next() == .value(nil))
    person.lastName = ""
    #expect(try await hosts.next() == .ended)
  }

  @Test("The seed's own spelling compiles, and after the end next() stays nil")
  func spelling() async {
    var owner: Person? = Person("Jane", "Appleseed")
    let hosts = Observations.untilFinished { [weak person = owner] in
      if let person {
        .next(person.homePage)
      } else {
        .finished
      }
    }
    var iterator = hosts.makeAsyncIterator()
    let first = await iterator.next(isolation: #isolation)
    #expect(first == .some(nil))
    // The removal alone wakes nobody in Swift 6.3 (its text promises it): something read changes too.
    owner?.homePage = "example.org"
    owner = nil
    #expect(await iterator.next(isolation: #isolation) == .none)
    #expect(await iterator.next(isolation: #isolation) == .none)
  }

  @Test("The removal of a weakly held model ends the query when the evaluation is woken")
  func removal() async throws {
    let owner = Box<Person?>(Person("Jane", "Appleseed"))
    let names = Following<String>(
      .evaluation,
      untilFinished: { [weak person = owner.value] in
        if let person { .next(person.name) } else { .finished }
      }
    )
    defer { names.end() }
    #expect(try await names.next() == .value("Jane Appleseed"))
    await nextTurn()
    owner.value = nil
    names.wake()
    #expect(try await names.next() == .ended)
  }

  @Test("The removal ends a stock iteration that also read the place of the model")
  func removalFromObservable() async throws {
    let place = Place(Person("Jane", "Appleseed"))
    let names = Following<String>(
      .observations,
      untilFinished: {
        if let person = place.person { .next(person.name) } else { .finished }
      }
    )
    defer { names.end() }
    #expect(try await names.next() == .value("Jane Appleseed"))
    place.person = nil
    #expect(try await names.next() == .ended)
  }

  // MARK: Errors

  @Test("A thrown error ends the iteration with that error; then next() is nil")
  func typedThrows() async throws {
    let person = Person("Jane", "Appleseed")
    let names = Observations { () throws(Broken) -> String in
      guard !person.firstName.isEmpty else { throw Broken(reason: "no name") }
      return person.name
    }
    var iterator = names.makeAsyncIterator()
    do throws(Broken) {
      let first = try await iterator.next(isolation: #isolation)
      #expect(first == "Jane Appleseed")
      person.firstName = ""
      _ = try await iterator.next(isolation: #isolation)
      Issue.record("the error did not arrive")
    } catch {
      #expect(error == Broken(reason: "no name"))
    }
    person.firstName = "Joan"
    let after = try await iterator.next(isolation: #isolation)
    #expect(after == nil)
  }

  @Test("An evaluation delivers an error as an output, and ends with it")
  func errorOutput() async throws {
    let person = Person("Jane", "Appleseed")
    let outputs = Inbox<Result<String, Broken>>()
    let freed = Inbox<Void>()
    _ = evaluation(freed: freed) { () -> Result<String, Broken> in
      person.firstName.isEmpty ? .failure(Broken(reason: "no name")) : .success(person.name)
    } deliver: { output in
      outputs.put(output)
      if case .success = output { return true }
      return false
    }
    #expect(try await outputs.next() == .success("Jane Appleseed"))
    person.firstName = ""
    #expect(try await outputs.next() == .failure(Broken(reason: "no name")))
    try await freed.next()
  }

  // MARK: Cancelling

  @Test("A cancelled iteration ends; the others go on", arguments: Way.allCases)
  func independentCancelling(_ way: Way) async throws {
    let person = Person("0", "0")
    let kept = Following(way) { person.name }
    let cancelled = Following(way) { person.name }
    defer { kept.end() }
    #expect(try await kept.next() == .value("0 0"))
    #expect(try await cancelled.next() == .value("0 0"))
    await nextTurn()
    cancelled.end()
    #expect(try await cancelled.next() == .ended)
    person.firstName = "1"
    #expect(try await kept.next() == .value("1 0"))
    person.firstName = "2"
    #expect(try await kept.next() == .value("2 0"))
  }

  @Test("The first next() of a cancelled task is nil and evaluates nothing")
  func cancelledBefore() async {
    let evaluations = Box(0)
    let counts = Observations {
      evaluations.value += 1
      return evaluations.value
    }
    // It cannot begin before this job ends.
    let task = Task {
      var iterator = counts.makeAsyncIterator()
      return await iterator.next(isolation: #isolation)
    }
    task.cancel()
    #expect(await task.value == nil)
    #expect(evaluations.value == 0)
  }
}

/// Where a model is hosted: removal is a change that can be observed.
@Observable
final class Place {
  var person: Person?

  init(_ person: Person) { self.person = person }
}
