import ObsTestSupport
import ObsModel
import ObsQuery
import ObsWire
import Observation
import Synchronization
import Testing

/// Random commits against a plain reference, and random queries that must never be stale.
@Suite(.timeLimit(.minutes(3)))
@ObsActor
struct DocumentRandomTests {
  @Test
  func `Random commits do what they do to plain JSON, and every query that they concern is woken`()
    throws
  {
    var generator = SeededGenerator(seed: testSeed())
    var (accepted, refused, woken, kept) = (0, 0, 0, 0)
    for _ in 0..<150 {
      var reference = PlainPatch(.randomDocument(using: &generator))
      let document = try Document(reference.json)
      let queries = (0..<12).map { _ in RandomQuery(document, using: &generator) }
      for _ in 0..<25 {
        if apply(to: document, &reference, using: &generator) {
          accepted += 1
        } else {
          refused += 1
        }
        try #require(document.json == reference.json)
        #expect(document.json.description == reference.json.description)
        for query in queries {
          if query.isWoken { woken += 1 } else { kept += 1 }
          query.settle()
          try #require(query.value == query.freshValue, "\(query.reading) \(document.json)")
        }
        #expect(document.nameCounts.names <= 64)
      }
      for query in queries { query.tracker.end() }
      #expect(document.cellCount == 0)
    }
    print("accepted \(accepted), refused \(refused), woken \(woken), not woken \(kept)")
    #expect(accepted > 500 && refused > 100 && woken > 1000 && kept > 1000)
  }

  /// Applies the same to both; says whether it was accepted.
  private func apply(
    to document: Document,
    _ reference: inout PlainPatch,
    using generator: inout SeededGenerator
  ) -> Bool {
    if Int.random(in: 0..<6, using: &generator) == 0 {
      let patch = JSON.random(depth: 3, using: &generator)
      guard case .object = patch else { return false }
      reference = PlainPatch(PlainPatch.merged(reference.json, patch))
      #expect(throws: Never.self) { try document.apply(Commit(merge: patch)) }
      return true
    }
    let operations = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      JSON.randomOperation(on: reference.json, using: &generator)
    }
    let before = document.json.description
    do {
      try document.patch(.array(operations))
      #expect(throws: Never.self, "\(operations) \(before)") { try reference.apply(operations) }
      return true
    } catch {
      #expect(throws: PlainPatch.Failure.self, "\(error) \(operations) \(before)") {
        try reference.apply(operations)
      }
      #expect(document.json.description == before)
      return false
    }
  }
}

/// A query that is evaluated again only when its cells wake it.
@ObsActor
private final class RandomQuery {
  /// What it reads, from the member of the root that `place` names.
  enum Reading {
    case whole
    case count
    case keys
    case values
    case column(String)
    case deepColumn(String, String)
    case columnCount(String)
    case partition(String, JSON, String)
    case partitionWhole(String, JSON)
    case element(Int)
  }

  final class Flag: Sendable {
    let raised = Atomic<Bool>(false)
  }

  let tracker: QueryTracker
  let reading: (place: [String], Reading)
  private let document: Document
  private var flag = Flag()
  private(set) var value: JSON = .null

  init(_ document: Document, using generator: inout SeededGenerator) {
    self.document = document
    tracker = QueryTracker(document)
    let depth = Int.random(in: 0...3, using: &generator)
    let place = (0..<depth).map { _ in String.randomKey(using: &generator) }
    let key = String.randomKey(using: &generator)
    let other = String.randomKey(using: &generator)
    let scalar = JSON.random(depth: 0, using: &generator)
    let readings: [Reading] = [
      .whole, .count, .keys, .values, .column(key), .deepColumn(key, other), .columnCount(key),
      .partition(key, scalar, other), .partition(key, scalar, other), .partitionWhole(key, scalar),
      .element(Int.random(in: 0...3, using: &generator)),
    ]
    reading = (place, readings.randomElement(using: &generator) ?? .whole)
    evaluate()
  }

  var isWoken: Bool { flag.raised.load(ordering: .relaxed) }

  func settle() { if isWoken { evaluate() } }

  private func evaluate() {
    let flag = Flag()
    self.flag = flag
    value = withObservationTracking {
      tracker.evaluate { read($0) }
    } onChange: {
      flag.raised.store(true, ordering: .relaxed)
    }
  }

  /// The value that an evaluation would have now; walks where a live query uses an index.
  var freshValue: JSON { read(document.root) }

  private func read(_ root: Value) -> JSON {
    let place = reading.place.reduce(root) { $0.member($1) }
    switch reading.1 {
    case .whole: return place.json
    case .count: return .int(Int64(place.count))
    case .keys: return .array(place.keys.map { .string($0) })
    case .values: return .array(place.map { $1.scalarOrKind })
    case .column(let key): return .array(place.map { $1.member(key).json })
    case .deepColumn(let key, let other):
      return .array(place.map { $1.member(key).member(other).scalarOrKind })
    case .columnCount(let key): return .array(place.map { .int(Int64($1.member(key).count)) })
    case .element(let index): return place.element(index).json
    case .partition(let key, let value, let column):
      return .array(members(of: place, key, value).map { [.string($0), $1.member(column).json] })
    case .partitionWhole(let key, let value):
      if case .node(let partition, _) = place.matching(key, value) {
        return partition.snapshot(nil)
      }
      guard place.isObject else { return .null }
      return .object(JSON.Object(members(of: place, key, value).map { ($0, $1.json) }))
    }
  }

  private func members(of place: Value, _ key: String, _ value: JSON) -> [(String, Value)] {
    guard place.isObject else { return [] }
    let partition = place.matching(key, value)
    if case .node = partition { return partition.map { ($0, $1) } }
    return place.map { ($0, $1) }.filter { _, member in
      switch member.member(key) {
      case .node: false
      case let field: field.json == value
      }
    }
  }
}

extension Value {
  fileprivate var isObject: Bool {
    guard case .node(let node, _) = self else { return false }
    return node.form == .object
  }

  /// What is known of a member without reading into it.
  fileprivate var scalarOrKind: JSON {
    guard case .node(let node, _) = self else { return json }
    return node.form == .object ? "object" : "array"
  }
}

extension String {
  fileprivate static func randomKey(using generator: inout SeededGenerator) -> String {
    // Few, so that they meet; among them two spellings of é.
    ["a", "b", "c", "rows", "0", "\u{e9}", "e\u{301}", ""].randomElement(using: &generator) ?? "a"
  }
}

extension JSON {
  static func randomDocument(using generator: inout SeededGenerator) -> JSON {
    var object = JSON.Object()
    for _ in 0..<4 {
      object[String.randomKey(using: &generator)] = random(depth: 3, using: &generator)
    }
    return .object(object)
  }

  fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 11 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(.random(using: &generator))
    case 2: return .int(.random(in: 0...2, using: &generator))
    case 3: return .double(Double(Int.random(in: 0...3, using: &generator)) / 2)
    case 4: return .string("x")
    case 5: return .string(String.randomKey(using: &generator))
    case 6, 7:
      let count = Int.random(in: 0...3, using: &generator)
      return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
    default:
      var object = Object()
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        object[String.randomKey(using: &generator)] = random(depth: depth - 1, using: &generator)
      }
      return .object(object)
    }
  }

  /// A pointer that mostly leads somewhere.
  private static func randomPointer(
    in json: JSON,
    using generator: inout SeededGenerator
  ) -> String {
    var pointer = ""
    var place = json
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let wild = Int.random(in: 0..<12, using: &generator) == 0
      switch place {
      case .object(let object) where !object.isEmpty && !wild:
        let member = object[Int.random(in: 0..<object.count, using: &generator)]
        pointer += "/" + member.key
        place = member.value
      case .array(let elements) where !elements.isEmpty && !wild:
        let index = Int.random(in: 0..<elements.count, using: &generator)
        pointer += "/\(index)"
        place = elements[index]
      case .array(let elements):
        return pointer + (Bool.random(using: &generator) ? "/-" : "/\(elements.count)")
      case .object:
        return pointer + "/" + String.randomKey(using: &generator)
      default:
        return wild ? pointer + "/a" : pointer
      }
    }
    return pointer
  }

  static func randomOperation(
    on json: JSON,
    using generator: inout SeededGenerator
  ) -> JSON {
    let pointer = randomPointer(in: json, using: &generator)
    let path = JSON.string(pointer)
    let from = JSON.string(randomPointer(in: json, using: &generator))
    let value = random(depth: 3, using: &generator)
    switch Int.random(in: 0..<24, using: &generator) {
    case 0 where Bool.random(using: &generator):
      return ["op": "test", "path": path, "value": value]
    case 1: return ["op": "replace", "path": "", "value": randomDocument(using: &generator)]
    case 2, 3: return ["op": "move", "from": from, "path": path]
    case 4...6: return ["op": "copy", "from": from, "path": path]
    case 7, 8: return ["op": "remove", "path": path]
    case 9...13: return ["op": "replace", "path": path, "value": value]
    default: return ["op": "add", "path": path, "value": value]
    }
  }
}
