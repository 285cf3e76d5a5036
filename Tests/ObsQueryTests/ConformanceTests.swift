import ObsQuery
import ObsWire
import Testing

@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: ConformanceSuites.folder != nil, ConformanceSuites.comment)
)
struct ConformanceTests {
  @Test func `the official suite passes`() throws {
    try expectAll("jmespath", count: 908)
  }

  @Test func `the suite of JMESPath Community passes`() throws {
    try expectAll("jmespath-community", count: 574, escapes: .community)
  }

  @Test func `our own semantics pass`() throws {
    try expectAll("jmespath-own", count: 128)
  }

  @Test func `the first values of the derived queries are right`() throws {
    try expectAll("derived", count: 30, limits: .default, evaluation: .default)
  }

  /// The four cases order null against a text or null, for which the specification says null.
  @Test func `of the suite of JmesPath.Net all but four pass`() throws {
    let cases = try ConformanceSuites.cases("jmespath-net")
    #expect(cases.count == 25)
    let failed = cases.filter { !$0.agrees($0.outcome(over: Value($0.given))) }
    #expect(failed.count == 4)
    for test in failed {
      #expect(test.expression.contains("<") || test.expression.contains(">"))
      #expect(try test.outcome(over: Value(test.given)).get() == [])
    }
    print("jmespath-net: \(cases.count - failed.count) of 25 followed, 4 as the specification says")
  }

  /// The same data behind `Readable`, with partitions.
  private static func live(_ json: JSON) -> Value {
    switch json {
    case .array, .object:
      let log = RecordingNode.Log()
      log.knowsPartitions = true
      return .node(RecordingNode(json, log: log), nil)
    default: return Value(json)
    }
  }

  private func expectAll(
    _ directory: String,
    count: Int,
    limits: ExpressionLimits = .unlimited,
    evaluation: EvaluationLimits = .unlimited,
    escapes: RawStringEscapes = .official
  ) throws {
    let cases = try ConformanceSuites.cases(directory)
    #expect(cases.count == count)
    var passed = 0
    for test in cases {
      let outcome = test.outcome(
        over: Value(test.given),
        limits: limits,
        evaluation: evaluation,
        escapes: escapes
      )
      let agrees = test.agrees(outcome)
      let live = test.outcome(
        over: Self.live(test.given),
        limits: limits,
        evaluation: evaluation,
        escapes: escapes
      )
      #expect(test.agrees(live), "\(test.file), live: \(test.expression) gives \(live)")
      if agrees { passed += 1 }
      #expect(agrees, "\(test.file): \(test.expression) gives \(outcome)")
    }
    print("\(directory): \(passed) of \(cases.count)")
  }
}
