import ObsModel
import ObsWire

/// Decodes the arguments of a query once; the result is evaluated as often as needed.
typealias QueryMaker = @ObsActor @Sendable (JSON, Caller) throws(WireError) -> any Evaluator

/// Runs a command and encodes its result.
typealias CommandBody = @ObsActor @Sendable (JSON, Caller) async throws(WireError) -> [UInt8]

/// Opens a stream; the result feeds a queue until one of them ends.
typealias StreamOpener = @ObsActor @Sendable (JSON, Caller) throws(WireError) -> StreamFeed
typealias StreamFeed = @Sendable (StreamQueue) async -> Void

/// A registered name: what a client may ask for.
struct Operation: Sendable {
  enum Kind: Sendable {
    case query(QueryMaker)
    case command(CommandBody)
    case stream(StreamOpener)

    var name: String {
      switch self {
      case .query: "query"
      case .command: "command"
      case .stream: "stream"
      }
    }
  }

  let name: String
  let kind: Kind
  /// Whether the body takes the caller: then evaluations are shared by equal rights only.
  let takesCaller: Bool
  /// Names and types of the arguments, for `$describe`: `{"limit":"integer"}`; nil if it takes none.
  let arguments: JSON?

  /// Says why a name cannot be registered, if it cannot.
  static func problem(withName name: String) -> String? {
    let reserved = [
      "query", "subscription", "mutation", "watch", "patch", "merge", "auth", "let", "in",
    ]
    guard let first = name.unicodeScalars.first else { return "a name must not be empty" }
    if first == "_" { return "names that begin with `_` are the server's own: `\(name)`" }
    let allowed = name.unicodeScalars.allSatisfy { scalar in
      scalar == "_" || (scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9" ~= scalar)))
    }
    if !allowed || "0"..."9" ~= first {
      return "a name is letters, digits and `_`, not beginning with a digit: `\(name)`"
    }
    if reserved.contains(name) { return "`\(name)` is a reserved word" }
    return nil
  }
}
