import ObsCommandLine
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SuggestionTests {
  @Test(arguments: [
    ("prot", "port"), ("por", "port"), ("portt", "port"), ("PORT", "port"), ("hots", "host"),
    ("certifcate", "certificate"),
  ])
  func `a typing error is found`(typed: String, meant: String) {
    #expect(
      Suggestion.nearest(to: typed, among: ["host", "port", "path", "certificate"]) == meant
    )
  }

  @Test(arguments: ["", "x", "database", "sort-of", String(repeating: "port", count: 1000)])
  func `what resembles nothing is not guessed at`(typed: String) {
    #expect(Suggestion.nearest(to: typed, among: ["host", "port", "path"]) == nil)
  }

  @Test func `of equally near names the first one wins`() {
    #expect(Suggestion.nearest(to: "pats", among: ["path", "pars"]) == "path")
  }
}
