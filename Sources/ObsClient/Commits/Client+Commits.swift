internal import Foundation
public import ObsWire

/// What became of a commit.
public struct Committed: Sendable, Hashable, Decodable {
  /// The turn that shows it: the first values that contain it have this rev.
  public var rev: Int64
  /// Its place in the log: the same on every node and after a restart.
  public var seq: Int64
}

/// Changes of the server's document: all of a commit is applied or nothing, and live queries see it as one step.
///
/// ```swift
/// let done = try await client.patch([
///   .test("/issues/i02/state", is: "open"),
///   .replace("/issues/i02/state", with: "closed"),
/// ])
/// ```
///
/// Values that a commit causes on this client's connection arrive before its answer: read your writes.
///
/// Every commit carries an idempotency key; one that is given none gets a random UUID. So when the connection is lost
/// before the answer came, the commit is sent again by itself and done once, as long as the server remembers the key (with
/// a log for a day, across restarts; without one in the same life of its process). Give a key of your own to make a
/// commit that survives this process: the same key with the same content is done once, with other content it is refused
/// with `key-reused`.
///
/// A refused commit has changed nothing; ``ClientError/op`` and ``ClientError/pointer`` say what was to blame.
extension Client {
  /// Applies a JSON Patch to the document.
  ///
  /// - Parameters:
  ///   - operations: what is done, in this order.
  ///   - seq: refuses the commit with `conflict` if what it touches was changed after this place in the log.
  ///   - key: names this commit, 1 to 64 characters; nil for a random one.
  /// - Returns: the commit's rev and place.
  /// - Throws: `conflict`, `patch-failed`, `too-large`, `read-only` and other errors of the server; `connection-lost`,
  ///   `cancelled`, `client-closed`.
  @discardableResult
  public func patch(
    _ operations: [JSONPatchOperation],
    ifSeq seq: Int64? = nil,
    key: String? = nil
  ) async throws(ClientError) -> Committed {
    try await start(.patch(operations), ifSeq: seq, key: key).answer()
  }

  /// Applies a JSON Merge Patch (RFC 7396) to what is at a place of the document.
  ///
  /// Members are set, members that are `null` are removed, lists are replaced whole. It cannot store `null`.
  ///
  /// - Parameters:
  ///   - pointer: the place, as a JSON Pointer; empty for the whole document.
  ///   - value: the merge patch.
  ///   - seq: refuses the commit with `conflict` if what it touches was changed after this place in the log.
  ///   - key: names this commit, 1 to 64 characters; nil for a random one.
  /// - Returns: the commit's rev and place.
  /// - Throws: as ``patch(_:ifSeq:key:)``.
  @discardableResult
  public func merge(
    at pointer: String,
    _ value: JSON,
    ifSeq seq: Int64? = nil,
    key: String? = nil
  ) async throws(ClientError) -> Committed {
    try await start(.merge(at: pointer, value), ifSeq: seq, key: key).answer()
  }

  /// Starts a commit without waiting for its answer.
  ///
  /// Commits that one task starts are applied in that order, so many can be on their way at once.
  package func start(
    _ change: DocumentChange,
    ifSeq seq: Int64? = nil,
    key: String? = nil
  ) throws(ClientError) -> StartedCommit {
    let arguments = change.arguments
    try checkSize(arguments)
    let live = LiveOptions(key: key ?? UUID().uuidString, ifSeq: seq)
    let request = Request(change.operation, arguments, live: live)
    return StartedCommit(call: try start(request, "a commit"))
  }

  /// Refuses what the server would end the connection for, as far as its limit is known.
  private func checkSize(_ arguments: JSON.Object) throws(ClientError) {
    guard case .ready(let greeting) = state,
      let limit = greeting.limits["messageBytes"]?.intValue
    else { return }
    let size = JSON.object(arguments).encoded.count + Self.envelope
    guard size > limit else { return }
    let message = "the commit has \(size) bytes, and the server takes messages of \(limit) at most"
    throw ClientError(WireError(.tooLarge, message, extensions: ["limit": "messageBytes"]))
  }

  /// The most that a message has beside the arguments of a commit.
  private static var envelope: Int { 1024 }
}

/// What a commit does to the document.
package enum DocumentChange: Sendable, Hashable {
  /// A JSON Patch.
  case patch([JSONPatchOperation])
  /// A JSON Merge Patch at a place.
  case merge(at: String, JSON)

  var operation: String {
    switch self {
    case .patch: "$patch"
    case .merge: "$merge"
    }
  }

  var arguments: JSON.Object {
    switch self {
    case .patch(let operations): ["ops": .array(operations.map(\.json))]
    case .merge(let pointer, let value): ["at": .string(pointer), "value": value]
    }
  }
}

/// A commit on its way.
package struct StartedCommit: Sendable {
  let call: StartedCall

  /// Waits for the answer; to be called once.
  package func answer() async throws(ClientError) -> Committed {
    try await call.answer(as: Committed.self)
  }
}
