import Foundation
import ObsServer

/// The server of the board: everything that clients can ask for, in one place.
enum BoardServer {
  /// The most proposals that `newest` gives.
  static let largestLimit = 100

  /// Registers the queries, the command and the stream of a board.
  static func make(
    _ configuration: ServerConfiguration,
    serving board: Board,
    transactions: Int
  ) async throws -> Server {
    let server = try Server(configuration)

    try await server.query("inReview") { board.inReview }
    try await server.query("byState") { board.byState }
    try await server.query("anyReturnedThisYear") { board.anyReturnedThisYear }
    try await server.query("newest") { (arguments: Newest) in
      board.newest(try arguments.checkedLimit())
    }
    try await server.query("check") { board.check }
    try await server.query("progress") { board.progress(of: transactions) }

    try await server.command("setState") { (arguments: SetState) in
      let state = try arguments.checkedState()
      let now = Date.now.formatted(.iso8601)
      guard let change = board.setState(arguments.id, to: state, at: now) else {
        throw WireError(
          .notFound,
          "there is no proposal `\(arguments.id)`; an id looks like SE-0475",
          extensions: ["argument": "id"]
        )
      }
      return change
    }

    try await server.stream("transitions") { board.transitions.follow() }
    return server
  }

  /// The arguments of `newest`.
  struct Newest: Codable, Sendable {
    /// How many proposals.
    ///
    /// 1 to 100, default 5.
    var limit: Int?

    func checkedLimit() throws(WireError) -> Int {
      let limit = limit ?? 5
      guard (1...largestLimit).contains(limit) else {
        throw WireError(
          .invalidValue,
          "argument `limit` must be 1 to \(largestLimit), but is \(limit)",
          extensions: ["argument": "limit"]
        )
      }
      return limit
    }
  }

  /// The arguments of `setState`.
  struct SetState: Codable, Sendable {
    var id: String
    /// One of the names of ``ProposalState``.
    var state: String

    func checkedState() throws(WireError) -> ProposalState {
      guard let state = ProposalState(rawValue: state) else {
        let names = ProposalState.allCases.map(\.rawValue).joined(separator: ", ")
        throw WireError(
          .invalidValue,
          "argument `state` must be one of \(names), but is `\(self.state)`",
          extensions: ["argument": "state"]
        )
      }
      return state
    }
  }
}
