import ObsModel
import ObsQuery
import ObsWire
import Testing

/// What reading a live document counts of a query's steps (docs/LANGUAGE.md, "Limits").
@Suite(.timeLimit(.minutes(5)))
@ObsActor
struct DocumentStepTests {
  private static func document(_ count: Int64) throws -> Document {
    let rows: [(String, JSON)] = (0..<count).map { row in
      ("r\(row)", ["a": .int(row % 3), "b": .int(row % 5), "n": .int(row)])
    }
    return try Document(["rows": .object(JSON.Object(rows)), "limit": ["n": 5]])
  }

  private func steps(_ text: String, _ document: Document) throws -> Int {
    let query = try PreparedQuery(Expression(parsing: text))
    let tracker = QueryTracker(document)
    defer { tracker.end() }
    _ = try tracker.evaluate { (root: Value) throws(QueryError) -> Value in
      try query.evaluate(root)
    }
    return query.lastSteps
  }

  /// How many steps one more record costs.
  private func stepsPerRecord(_ text: String) throws -> Double {
    let few = try steps(text, Self.document(1_000))
    let many = try steps(text, Self.document(3_000))
    return Double(many - few) / 2_000
  }

  @Test func `What is noted by itself counts for what waiting for it costs`() throws {
    let document = try Self.document(10)
    let plain = try PreparedQuery(Expression(parsing: "limit.n"))
    _ = try plain.evaluate(Value(document.json))
    #expect(plain.lastSteps < 10)
    #expect(try steps("limit.n", document) >= 80)
    #expect(try steps("limit", document) >= 40)
    // A lookup for each record, and one field of what it finds: as many cells.
    #expect(
      try stepsPerRecord("let $r = rows in length(keys($r)[?lookup($r, @).n == `1`])") >= 80
    )
    #expect(
      try stepsPerRecord("let $r = rows in length(keys($r)[?length(lookup($r, @)) == `1`])") >= 80
    )
  }

  @Test func `A scan notes its columns once, and counts little for each record`() throws {
    #expect(try stepsPerRecord("length(values(rows)[?n < `0`])") <= 6)
    #expect(try stepsPerRecord("length(values(rows)[?n < `0` && a == `1`])") <= 12)
  }

  @Test func `Counting does not depend on whether a query is live`() throws {
    let document = try Self.document(100)
    for text in [
      "length(values(rows)[?n < `5`])", "rows.r5.n", "values(rows)[*].a", "sum(rows.*.b)",
    ] {
      let query = try PreparedQuery(Expression(parsing: text))
      _ = try query.evaluate(document.root)
      #expect(try steps(text, document) == query.lastSteps, "\(text)")
    }
  }

  @Test func `Making an index counts, the first one least`() throws {
    let one = try stepsPerRecord("length(values(rows)[?a == `7`])")
    #expect(one == 3)
    #expect(
      try stepsPerRecord("[length(values(rows)[?a == `7`]), length(values(rows)[?b == `7`])]") == 15
    )
    // Other values of the same field are found in the same index.
    #expect(
      try stepsPerRecord("[length(values(rows)[?a == `7`]), length(values(rows)[?a == `8`])]") == 3
    )
    let text = (0..<80).map { "length(values(rows)[?f\($0) == 'x'])" }.joined(separator: ", ")
    #expect(try stepsPerRecord("[\(text)]") == 3 + 79 * 12)
  }

  @Test func `What an index counts does not depend on other queries`() async throws {
    let document = try Self.document(1_000)
    let text = "length(values(rows)[?a == `1`])"
    let before = try steps(text, document)
    let watch = DocumentWatch(document) { $0.member("rows").matching("a", 1).count }
    await nextTurn()
    #expect(document.cellCount > 0)
    #expect(try steps(text, document) == before)
    watch.end()
  }
}
