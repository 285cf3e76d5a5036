import ObsModel
import ObsQuery
import ObsWire
import Testing

/// Queries over the records of one value of a field: others cost them nothing.
@Suite(.timeLimit(.minutes(5)))
@ObsActor
struct DocumentPartitionTests {
  nonisolated static let rows: JSON = [
    "rows": [
      "r1": ["region": 1, "score": 10, "note": ["a"]], "r2": ["region": 2, "score": 20],
      "r3": ["region": 1, "score": 30], "r4": ["score": 40], "r5": 7,
    ]
  ]

  private func scores(_ region: JSON) -> @ObsActor @Sendable (Value) -> [JSON] {
    { $0.member("rows").matching("region", region).map { $1.member("score").json } }
  }

  @Test func `A query depends on its own partition`() async throws {
    let document = try Document(Self.rows)
    let one = DocumentWatch(document, scores(1))
    let two = DocumentWatch(document, scores(2))
    await nextTurn()
    #expect(
      one.tracker.cellNames == ["rows", "rows[region=1] (members)", "rows[region=1]/*/score"]
    )
    func counts(_ change: @ObsActor () throws -> Void) async rethrows -> [Int] {
      let before = [one.evaluations, two.evaluations]
      try change()
      await nextTurn()
      return [one.evaluations - before[0], two.evaluations - before[1]]
    }
    #expect(try await counts { try document.replace("/rows/r1/score", 11) } == [1, 0])
    #expect(try await counts { try document.replace("/rows/r1/score", 11.0) } == [0, 0])
    #expect(try await counts { try document.add("/rows/r1/note/-", "b") } == [0, 0])
    #expect(try await counts { try document.replace("/rows/r4/score", 1) } == [0, 0])
    #expect(try await counts { try document.replace("/rows/r1/region", 2) } == [1, 1])
    #expect(one.values.last == [30] && two.values.last == [11, 20])
    #expect(try await counts { try document.replace("/rows/r2/region", 2.0) } == [0, 0])
    #expect(
      try await counts { try document.add("/rows/r6", ["region": 1, "score": 60]) } == [1, 0]
    )
    #expect(
      try await counts { try document.add("/rows/r5", ["region": 2, "score": 50]) } == [0, 1]
    )
    #expect(two.values.last == [11, 20, 50])
    #expect(try await counts { try document.remove("/rows/r6") } == [1, 0])
    #expect(try await counts { try document.remove("/rows/r3/region") } == [1, 0])
    #expect(one.values.last == [])
    #expect(try await counts { try document.replace("/rows", [:]) } == [0, 1])
    two.end()
    one.end()
    #expect(document.cellCount == 0)
  }

  @Test func `Absent and null are one partition, of records and of other values`() async throws {
    let document = try Document(Self.rows)
    let none = DocumentWatch(document) { $0.member("rows").matching("region", .null).keys }
    await nextTurn()
    #expect(none.values == [["r4", "r5"]])
    try document.add("/rows/r4/region", .null)
    try document.add("/rows/r6", [1])
    await nextTurn()
    #expect(none.values.last == ["r4", "r5", "r6"])
    try document.add("/rows/r4/region", ["x": 1])
    await nextTurn()
    #expect(none.values.last == ["r5", "r6"])
    none.end()
    #expect(document.cellCount == 0)
  }

  @Test func `What is read whole in a partition is depended on in depth`() async throws {
    let document = try Document(Self.rows)
    let whole = DocumentWatch(document) { $0.member("rows").matching("region", 1).json }
    await nextTurn()
    #expect(try await whole.evaluations { try document.add("/rows/r1/note/-", "b") } == 1)
    #expect(try await whole.evaluations { try document.add("/rows/r2/note", "b") } == 0)
    #expect(whole.tracker.cause == "rows[region=1]/*/*")
    whole.end()
  }

  @Test func `Text that Unicode calls equal is two partitions`() async throws {
    let document = try Document([
      "rows": ["a": ["k": "\u{e9}"], "b": ["k": "e\u{301}"], "c": ["k": "\u{e9}"]]
    ])
    let watch = DocumentWatch(document) { $0.member("rows").matching("k", "\u{e9}").keys }
    await nextTurn()
    #expect(watch.values == [["a", "c"]])
    watch.end()
  }

  @Test func `An index is made only for live queries that come by the path`() throws {
    let document = try Document(["groups": ["g": ["rows": ["r": ["k": 1]]]]])
    guard case .node(let rows, _) = document.root.path("groups", "g", "rows") else { return }
    #expect(rows.matching(MemberName("k"), 1, nil) == nil)
    let tracker = QueryTracker(document)
    tracker.evaluate { root in
      _ = root.member("groups").map { _, group in
        guard case .node(let rows, let scope) = group.member("rows") else { return }
        #expect(rows.matching(MemberName("k"), 1, scope) == nil)
        #expect(rows.matching(MemberName("k"), ["x"], nil) == nil)
      }
    }
    tracker.end()
    #expect(document.cellCount == 0)
  }
}
