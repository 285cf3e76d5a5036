import ObsServer

// What clients see of the models when they ask in the query language.

extension Board: @ObsActor Exposed {
  static let schema = Schema<Board> {
    Field("proposals", \.proposals, "All proposals by their ids, such as SE-0475")
    Field("byState", \.byState, "How many proposals are in each state that occurs")
    Field("transaction", \.transaction, "Transactions of the history replayed so far")
    Field("operations", \.operations, "Operations applied so far")
    Field("day", \.day, "The day of the last transaction")
    Field("year", \.year, "Its year, which counts as this year")
  }
}

extension Proposal: @ObsActor Exposed {
  static let schema = Schema<Proposal> {
    Field("id", \.id)
    Field("number", \.number)
    Field("title", \.title)
    Field("state", \.state, "Where it stands")
    Field("release", \.release, "The Swift version that has it")
    Field("created", \.created, "A day, such as 2015-11-03")
    Field("updated", \.updated, "The day of the last change")
    Field("year", \.year, "The year of the last change")
  }
}
