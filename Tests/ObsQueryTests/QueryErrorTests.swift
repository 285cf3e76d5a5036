import ObsQuery
import Testing

@Suite(.timeLimit(.minutes(5)))
struct QueryErrorTests {
  @Test func `an error that data can heal says so`() {
    #expect(QueryError(.invalidType, "text").code.mayHeal)
    #expect(!QueryError(.syntax, "text").code.mayHeal)
  }
}
