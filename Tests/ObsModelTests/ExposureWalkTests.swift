import Foundation
import ObsModel
import ObsQuery
import ObsWire
import Observation
import Testing

/// Whole subtrees: order, ends, and models that lead back to themselves.
@Suite("Exposure: whole subtrees", .timeLimit(.minutes(5)))
@ObsActor
struct ExposureWalkTests {
  @Test("A dictionary is walked in the byte order of its keys, however it was filled")
  func dictionaryOrder() throws {
    var rooms: [String: Int] = [:]
    let keys = [
      "10", "9", "a", "B", "é", "z", "aaaaaaaab",
      "aaaaaaaaa", "aaaaaaaa", "", "😀", "\u{ffff}",
    ]
    for key in keys.shuffled() { rooms[key] = 1 }
    let board = Tracker()
    board.rooms = rooms
    let expected = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let asking = try Asking("keys(board.rooms)", ["board": Value(exposing: board)])
    #expect(asking.answer() == JSON.array(expected.map(JSON.string)).description)
    let members = expected.map { "\(JSON.string($0)):1" }.joined(separator: ",")
    #expect(try Value(exposing: rooms).written() == "{\(members)}")
  }

  @Test("A key is found by its bytes: another spelling of the same text is another key")
  func spelling() throws {
    let board = Tracker()
    board.rooms = ["e\u{301}": 1]
    let rooms = Value(exposing: board)["rooms"]
    #expect(rooms["e\u{301}"].json == 1)
    #expect(rooms["\u{e9}"].json == .null)
  }

  @Test("A model that leads back to itself is refused as a whole, and every part can be asked for")
  func cycle() throws {
    let family = Family.sample()
    let root = ["root": Value(exposing: family)]
    #expect(try Asking("root", root).answer() == "error result-too-large")
    #expect(try Asking("root.children[*].parent.name", root).answer() == #"["r","r"]"#)
    #expect(
      try Asking("root.children[0].parent.children[1].parent.name", root).answer() == #""r""#
    )
    do {
      _ = try Value(exposing: family).written()
      Issue.record("written")
    } catch {
      #expect(error.message.contains("leads back to itself"))
      #expect(error.hint?.contains("name the fields") == true)
    }
  }

  @Test("An object that is met twice, but not inside itself, is written twice")
  func shared() throws {
    let board = Tracker("a")
    let ada = Person("Ada", "L")
    board.lead = ada
    board.items[0].assignee = ada
    let answer = try Value(exposing: board).written()
    #expect(answer.components(separatedBy: "Ada L").count - 1 == 3)
  }

  @Test("A copy of a model that leads back to itself ends where it does")
  func cyclicCopy() {
    let copy = Value(exposing: Family.sample()).json
    #expect(copy["children"]?[0]?["name"] == "c0")
    #expect(copy["children"]?[0]?["parent"] == .null)
  }

  @Test("Objects equal themselves without being read; others are compared by their fields")
  func equality() throws {
    let (one, two) = (Family.sample(), Family.sample())
    let root = ["one": Value(exposing: one), "two": Value(exposing: two)]
    #expect(try Asking("one == one.children[0].parent", root).answer() == "true")
    #expect(try Asking("one.children[0] == one.children[1]", root).answer() == "false")
    #expect(try Asking("contains(one.children, one.children[1])", root).answer() == "true")
    // Equal everywhere, forever.
    #expect(try Asking("one == two", root).answer() == "error budget-exceeded")
    let boards = ["a": Value(exposing: Tracker("x")), "b": Value(exposing: Tracker("x"))]
    #expect(try Asking("a == b", boards).answer() == "true")
    #expect(try Asking("a.items == b.items", boards).answer() == "true")
  }

  @Test("An object compared with itself depends on nothing in it")
  func equalityDependence() async throws {
    let board = Tracker("a")
    let watch = try await Watch("board.items[0] == board.items[-1]", board)
    #expect(watch.answer == "true")
    #expect(await watch.causes { board.items[0].title = "z" } == 0)
    #expect(await watch.causes { board.add("b") } == 1)
    #expect(watch.answer == "false")
    await watch.end()
  }

  @Test("Fields that make new objects without end are written 64 levels deep and no deeper")
  func endless() throws {
    #expect(try Asking("root.next.next.next.number", ["root": endless(0)]).answer() == "3")
    #expect(try Asking("root", ["root": endless(0)]).answer() == "error result-too-large")
    #expect(try Value(exposing: Endless(number: 0, last: 63)).written().contains("63"))
    #expect(throws: QueryError.self) {
      try Value(exposing: Endless(number: 0, last: 64)).written()
    }
  }

  private func endless(_ number: Int) -> Value { Value(exposing: Endless(number: number)) }

  @Test("Writing stops as soon as the result has more bytes than it may have")
  func limit() throws {
    let board = Tracker()
    for number in 0..<1_000 { board.add("\(number)") }
    let whole = try Value(exposing: board.items).written()
    #expect(try Value(exposing: board.items).written(limit: whole.utf8.count) == whole)
    var writer = JSONWriter()
    do {
      try Value(exposing: board.items).write(to: &writer, limit: 1_000)
      Issue.record("written")
    } catch {
      #expect(error.code == .resultTooLarge)
      #expect(writer.bytes.count < 1_200)
    }
  }

  @Test("A web of objects that all know each other is bounded, too")
  func web() throws {
    let people = (0..<200).map { _ in Friend() }
    for one in people { one.friends = people.filter { $0 !== one } }
    defer { for one in people { one.friends = [] } }
    var writer = JSONWriter()
    #expect(throws: QueryError.self) {
      try Value(exposing: people[0]).write(to: &writer, limit: 100_000)
    }
    #expect(writer.bytes.count < 101_000)
  }
}

private final class Family {
  let name: String
  weak var parent: Family?
  var children: [Family] = []

  init(_ name: String) { self.name = name }

  @ObsActor
  static func sample() -> Family {
    let root = Family("r")
    for number in 0..<2 {
      let child = Family("c\(number)")
      child.parent = root
      root.children.append(child)
    }
    return root
  }
}

extension Family: Exposed {
  static let schema = Schema<Family> {
    Field("name", \.name)
    Field("parent", \.parent)
    Field("children", \.children)
  }
}

private struct Endless {
  var number: Int
  var last = Int.max
}

extension Endless: Exposed {
  static let schema = Schema<Endless> {
    Field("number", \.number)
    Field("next") { $0.number < $0.last ? Endless(number: $0.number + 1, last: $0.last) : nil }
  }
}

private final class Friend {
  var friends: [Friend] = []
}

extension Friend: Exposed {
  static let schema = Schema<Friend> { Field("friends", \.friends) }
}
