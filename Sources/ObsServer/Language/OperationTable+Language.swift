import ObsModel
import ObsQuery
import ObsWire

/// The operations that every server has: queries as text, commits, `$describe`.
extension OperationTable {
  /// The names of built-in operations, of which none can be registered.
  static let builtIn = ["$patch", "$merge", "$describe"]

  /// A query of the language.
  ///
  /// Equal expressions with equal values of their variables share one live query, however they are spelled.
  func query(_ text: String, _ variables: JSON.Object) throws(WireError) -> ResolvedQuery {
    let expression = try language.parse(text)
    var bound: JSON.Object = [:]
    for name in expression.variableNames {
      guard let value = variables[name] else {
        throw WireError(
          .undefinedVariable,
          "the query uses `$\(name)`, but payload.variables has no `\(name)`",
          extensions: [
            "hint": .string(
              variables.isEmpty
                ? "give it in payload.variables, or bind it: `let $\(name) = … in …`"
                : "given are: \(variables.keys.joined(separator: ", "))"
            )
          ]
        )
      }
      bound[name] = value
    }
    let used = bound
    let language = language
    return ResolvedQuery(
      text: Array("? \(expression.canonicalText) ".utf8) + Canonical.bytes(.object(used)),
      takesCaller: false,
      warnings: expression.warnings.map(\.json),
      makeEvaluator: { _ throws(WireError) in
        try LanguageEvaluator(language, expression, used)
      }
    )
  }

  /// A built-in operation by its name; nil when there is none of that name.
  func builtIn(
    _ name: String,
    _ arguments: JSON.Object,
    _ live: LiveOptions
  ) throws(WireError) -> ResolvedOperation? {
    switch name {
    case "$patch", "$merge":
      return .commit(try commit(String(name.dropFirst()), arguments, live))
    case "$describe":
      return .query(description(), once: true)
    default:
      if name.hasPrefix("$") {
        throw WireError(
          .unknownOperation,
          "there is no operation `\(name)`",
          extensions: [
            "hint": .string("built in are: \(OperationTable.builtIn.joined(separator: ", "))")
          ]
        )
      }
      return nil
    }
  }

  /// Reads the arguments of `patch` (`ops`) or `merge` (`at`, `value`).
  func commit(
    _ kind: String,
    _ arguments: JSON.Object,
    _ live: LiveOptions,
    shape: CarrierShape? = nil
  ) throws(WireError) -> CommitOperation {
    let reader = CommitArguments(kind, arguments)
    try reader.allowOnly(
      kind == "patch" ? ["ops", "ifSeq", "key"] : ["at", "value", "ifSeq", "key"]
    )
    let value = try reader.required(kind == "patch" ? "ops" : "value")
    let place = try reader.text("at") ?? ""
    let ifSeq = try reader.place("ifSeq") ?? live.ifSeq
    let key = try reader.text("key") ?? live.key
    do throws(CommitError) {
      let commit =
        kind == "patch"
        ? try Commit(patch: value, ifSeq: ifSeq)
        : try Commit(merge: value, at: try JSONPointer(place), ifSeq: ifSeq)
      try commit.check(language.limits.commit)
      return CommitOperation(
        commit: commit,
        fingerprint: Array("$\(kind) ".utf8) + Canonical.bytes(.object(arguments)),
        key: key,
        shape: shape
      )
    } catch {
      throw error.wire
    }
  }

  /// A commit as HTTP carries it: the patch, and the place where it applies.
  func patch(
    isMerge: Bool,
    _ body: JSON,
    at place: String,
    ifMatch: String?
  ) throws(WireError) -> CommitOperation {
    do throws(CommitError) {
      let base = try JSONPointer(place)
      var commit =
        isMerge ? try Commit(merge: body, at: base) : try Commit(patch: body, at: base)
      try commit.check(language.limits.commit)
      if let tags = ifMatch?.split(separator: ",").map({ $0.filter { $0 != " " } }) {
        commit.condition = CommitCondition(pointer: base, tags: tags)
      }
      let kind = isMerge ? "merge" : "patch"
      return CommitOperation(
        commit: commit,
        fingerprint: Array("\(kind) \(place) ".utf8) + Canonical.bytes(body),
        key: nil,
        shape: nil
      )
    } catch {
      throw error.wire
    }
  }

  /// What is at a place of the document.
  func data(at place: String) throws(WireError) -> ResolvedQuery {
    let pointer: JSONPointer
    do throws(CommitError) {
      pointer = try JSONPointer(place)
    } catch {
      throw WireError(.badVariables, error.message, extensions: ["pointer": .string(place)])
    }
    let language = language
    return ResolvedQuery(
      text: Array("data ".utf8) + Array(place.utf8),
      takesCaller: false,
      makeEvaluator: { _ in
        FunctionEvaluator {
          guard let value = language.document?.snapshot(pointer) else {
            return .ended(
              WireError(
                .notFound,
                "nothing is at `\(place)`",
                extensions: ["pointer": .string(place)]
              )
            )
          }
          return .value(value.encoded)
        }
      }
    )
  }

  private func description() -> ResolvedQuery {
    ResolvedQuery(
      text: Array("$describe".utf8),
      takesCaller: false,
      makeEvaluator: { _ in DescriptionEvaluator(self) }
    )
  }
}

/// A commit as it was asked for.
struct CommitOperation: Sendable {
  let commit: Commit
  let fingerprint: [UInt8]
  /// The idempotency key among the arguments.
  let key: String?
  let shape: CarrierShape?
}

/// The arguments of a commit; errors name the argument.
private struct CommitArguments {
  let operation: String
  let members: JSON.Object

  init(_ operation: String, _ members: JSON.Object) {
    self.operation = operation
    self.members = members
  }

  func required(_ name: String) throws(WireError) -> JSON {
    guard let value = members[name] else { throw problem(name, "is missing") }
    return value
  }

  func text(_ name: String) throws(WireError) -> String? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let text = value.stringValue else { throw problem(name, "must be a string") }
    return text
  }

  func place(_ name: String) throws(WireError) -> Int64? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let place = value.intValue, place >= 0 else {
      throw problem(name, "must be an integer from 0, a place in the log")
    }
    return place
  }

  func allowOnly(_ names: [String]) throws(WireError) {
    for name in members.keys where !names.contains(name) {
      throw problem(name, "is unknown; `\(operation)` takes \(names.joined(separator: ", "))")
    }
  }

  private func problem(_ name: String, _ what: String) -> WireError {
    WireError(
      .badVariables,
      "the argument `\(name)` of `\(operation)` \(what)",
      extensions: ["argument": .string(name)]
    )
  }
}
