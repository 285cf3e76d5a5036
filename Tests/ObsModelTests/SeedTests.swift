import ObsModel
import Observation
import Testing

/// The behaviours that the text of SE-0475 names, in its order, on ObsActor: once with a stock
/// `Observations`, once with the evaluation that live queries use.
@Suite("The seed, on ObsActor", .timeLimit(.minutes(5)))
@ObsActor
struct SeedTests {
  // MARK: The shape

  @Test("Nothing is evaluated before the first next()")
  func lazy() async {
    let person = Person("0", "0")
    let evaluations = Box(0)
    let names = Observations {
      evaluations.value += 1
      return person.name
    }
    person.firstName = "1"
    await nextTurn()
    #expect(evaluations.value == 0)
    var iterator = names.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == "1 0")
    #expect(evaluations.value == 1)
  }

  @Test("An iteration begins with the current value", arguments: Way.allCases)
  func priming(_ way: Way) async throws {
    let person = Person("0", "0")
    person.firstName = "1"
    let names = Following(way) { person.name }
    defer { names.end() }
    #expect(try await names.next() == .value("1 0"))
  }

  @Test(
    "What was read through a condition is followed: the pet, then its name",
    arguments: Way.allCases
  )
  func nestedReads(_ way: Way) async throws {
    let person = Person("Jane", "Appleseed")
    let greetings = Following(way) { greeting(person) }
    defer { greetings.end() }
    #expect(try await greetings.next() == .value("Hello Jane Appleseed"))
    let rex = Pet("Rex")
    person.pet = rex
    #expect(try await greetings.next() == .value("Hello Jane Appleseed and Rex"))
    rex.name = "Max"
    #expect(try await greetings.next() == .value("Hello Jane Appleseed and Max"))
    person.pet = nil
    #expect(try await greetings.next() == .value("Hello Jane Appleseed"))
  }

  @Test("What is read no more is followed no more", arguments: Way.allCases)
  func forgottenReads(_ way: Way) async throws {
    let person = Person("Jane", "Appleseed")
    let old = Pet("Rex")
    person.pet = old
    let greetings = Following(way) { greeting(person) }
    defer { greetings.end() }
    #expect(try await greetings.next() == .value("Hello Jane Appleseed and Rex"))
    person.pet = Pet("Tom")
    #expect(try await greetings.next() == .value("Hello Jane Appleseed and Tom"))
    await nextTurn()
    old.name = "nobody's"
    await nextTurn()
    person.firstName = "Joan"
    #expect(try await greetings.next() == .value("Hello Joan Appleseed and Tom"))
  }

  @Test("A change of what was not read evaluates nothing", arguments: Way.allCases)
  func unreadProperties(_ way: Way) async throws {
    let person = Person("Jane", "Appleseed")
    let evaluations = Box(0)
    let names = Following(way) {
      evaluations.value += 1
      return person.name
    }
    defer { names.end() }
    #expect(try await names.next() == .value("Jane Appleseed"))
    await nextTurn()
    person.homePage = "example.org"
    person.firstName = "Jane"  // Equal: no change.
    await nextTurn()
    await nextTurn()
    #expect(evaluations.value == 1)
    person.lastName = "Doe"
    #expect(try await names.next() == .value("Jane Doe"))
    #expect(evaluations.value == 2)
  }

  // MARK: Transactions

  @Test("Changes without a suspension between them are one value", arguments: Way.allCases)
  func transaction(_ way: Way) async throws {
    let person = Person("", "")
    let names = Following(way) { person.name }
    defer { names.end() }
    #expect(try await names.next() == .value(" "))
    await nextTurn()
    person.firstName = "Jane"
    person.lastName = "Appleseed"
    #expect(try await names.next() == .value("Jane Appleseed"))
    await nextTurn()
    person.lastName = "Doe"
    #expect(try await names.next() == .value("Jane Doe"))
  }

  @Test("No value is torn, however many transactions there are", arguments: Way.allCases)
  func tearing(_ way: Way) async throws {
    let person = Person("0", "0")
    let names = Following(way) { person.name }
    defer { names.end() }
    #expect(try await names.next() == .value("0 0"))
    for number in 1...500 {
      person.firstName = "\(number)"
      person.lastName = "\(number)"
      if number.isMultiple(of: 3) { await Task.yield() }
    }
    var last = "0 0"
    while last != "500 500", case .value(let name) = try await names.next() {
      let halves = name.split(separator: " ")
      #expect(halves.first == halves.last)
      last = name
    }
    #expect(last == "500 500")
  }
}

/// The query of the seed's second example.
private func greeting(_ person: Person) -> String {
  guard let pet = person.pet else {
    return "Hello \(person.name)"
  }
  return "Hello \(person.name) and \(pet.name)"
}
