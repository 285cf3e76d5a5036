import Foundation
import ObsModel
import ObsQuery
import ObsWire
import Observation

/// A board of items, as in the README: a model of objects that lead to each other.
@ObsActor @Observable
final class Tracker {
  var title = "Triage"
  var items: [Item] = []
  var byID: [String: Item] = [:]
  var lead: Person?
  var rooms: [String: Int] = [:]
  /// Not in the schema.
  var secret = "s3cret"

  init(_ titles: String...) {
    for title in titles { add(title) }
  }

  @discardableResult
  func add(_ title: String) -> Item {
    let item = Item(title)
    items.append(item)
    byID[title] = item
    return item
  }
}

@ObsActor @Observable
final class Item {
  enum State: String, CaseIterable { case open, closed }

  var title: String
  var state = State.open
  var assignee: Person?
  var labels: [String] = []
  var effort = Effort()
  weak var board: Tracker?

  var isUrgent: Bool { title.hasSuffix("!") }

  init(_ title: String) { self.title = title }
}

/// A struct inside a model: the property that holds it is observed as a whole.
struct Effort {
  var hours = 0.0
  var notes: [String] = []
}

extension Tracker: @ObsActor Exposed {
  static let schema = Schema<Tracker> {
    Field("title", \.title, "What people call it")
    Field("items", \.items)
    Field("byID", \.byID)
    Field("lead", \.lead)
    Field("rooms", \.rooms)
    Field("open") { $0.items.count { $0.state == .open } }
  }
}

extension Item: @ObsActor Exposed {
  static let schema = Schema<Item> {
    Field("title", \.title)
    Field("state", \.state)
    Field("assignee", \.assignee)
    Field("labels", \.labels)
    Field("effort", \.effort)
    Field("urgent", \.isUrgent)
  }
}

extension Effort: Exposed {
  static let schema = Schema<Effort> {
    Field("hours", \.hours)
    Field("notes", \.notes)
  }
}

// The person of the seed is bound to no actor; its schema is.
extension Person: Exposed {
  static let schema = Schema<Person> {
    Field("name", \.name)
    Field("homePage", \.homePage)
    Field("pet", \.pet)
  }
}

extension Pet: Exposed {
  static let schema = Schema<Pet> { Field("name", \.name) }
}

// MARK: Reading

extension Value {
  /// The member of a name, as an identifier of a query reads it.
  @ObsActor
  subscript(name: String) -> Value {
    guard case .node(let node, let scope) = self else { return .null }
    return node.member(MemberName(name), scope) ?? .null
  }

  /// The element at a place.
  @ObsActor
  subscript(index: Int) -> Value {
    guard case .node(let node, let scope) = self else { return .null }
    return node.element(index, scope) ?? .null
  }

  /// The value as a client gets it.
  func written(limit: Int = .max) throws(QueryError) -> String {
    var writer = JSONWriter()
    try write(to: &writer, limit: limit)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Evaluates an expression over models that are hosted under names.
@ObsActor
struct Asking {
  private let query: PreparedQuery
  private let root: Value

  init(
    _ text: String,
    _ models: [String: Value],
    functions: [String: RegisteredFunction] = [:]
  ) throws {
    let signatures = functions.mapValues { _ in FunctionSignature.any }
    query = try PreparedQuery(
      Expression(parsing: text, functions: signatures),
      functions: functions
    )
    root = .object(QueryObject(models.map { ($0.key, $0.value) }))
  }

  /// What a client would get now; an error as its code.
  func answer() -> String {
    do throws(QueryError) {
      return try query.evaluate(root).written()
    } catch {
      return "error \(error.code)"
    }
  }
}

/// Follows a reading of models as a live query does, and counts its evaluations.
@ObsActor
final class Watch {
  private let count = Box(0)
  private let newest = Box("")
  private var evaluation: ObservationsEvaluation<String>?

  /// The newest answer.
  var answer: String { newest.value }

  /// Watches an expression over a board.
  convenience init(_ text: String, _ board: Tracker) async throws {
    let asking = try Asking(text, ["board": Value(exposing: board)])
    await self.init { asking.answer() }
  }

  init(_ read: @escaping @ObsActor @Sendable () -> String) async {
    let (count, newest) = (count, newest)
    evaluation = ObservationsEvaluation {
      count.value += 1
      return read()
    } deliver: { answer in
      newest.value = answer
      return true
    }
    await nextTurn()
  }

  /// How many evaluations a change of one turn causes.
  func causes(_ change: @ObsActor () -> Void) async -> Int {
    let before = count.value
    change()
    await nextTurn()
    return count.value - before
  }

  /// Ends the evaluation, and returns when nothing of it is left.
  func end() async {
    evaluation?.end()
    evaluation = nil
    await nextTurn()
    await nextTurn()
  }
}
