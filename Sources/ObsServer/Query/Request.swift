import ObsModel
import ObsWire

/// What the socket loop asks of the models.
enum Request: Sendable {
  /// A subscription, or a single value.
  case watch(OperationKey, ResolvedQuery, Caller, WatchOptions)
  case command(OperationKey, CommandCall, Caller)
  /// A write to the document.
  case commit(OperationKey, CommitCall)
  case stream(OperationKey, StreamCall, Caller, StreamQueue)
  /// The operation is over on the client's side.
  case leave(OperationKey)

  var key: OperationKey {
    switch self {
    case .watch(let key, _, _, _), .command(let key, _, _), .commit(let key, _),
      .stream(let key, _, _, _), .leave(let key):
      key
    }
  }
}

/// What a subscriber asks of its values.
struct WatchOptions: Sendable {
  /// Every value explains itself.
  var explain = false
  /// The commit that the first value must contain.
  var minSeq: Int64?
  /// The digest of the value that the client has.
  var since: String?
  /// Every value carries its digest.
  var resume = false

  init(_ live: LiveOptions = LiveOptions()) {
    explain = live.explain
    minSeq = live.minSeq
    since = live.since
    resume = live.resume
  }
}

/// A query whose names are known and whose arguments are at hand.
struct ResolvedQuery: Sendable {
  /// The canonical text: equal texts (and rights) share one live query.
  let text: [UInt8]
  let takesCaller: Bool
  /// What is allowed in the query's text and probably not meant; told with the first value.
  var warnings: [JSON] = []
  let makeEvaluator: @ObsActor @Sendable (Caller) throws(WireError) -> any Evaluator

  /// The warnings as a member of the first value's extensions, `,"warnings":[…]`; empty without any.
  var warningMember: [UInt8] {
    warnings.isEmpty ? [] : Array(#","warnings":"#.utf8) + JSON.array(warnings).encoded
  }
}

/// A command with its arguments.
struct CommandCall: Sendable {
  let body: CommandBody
  let arguments: JSON
  /// Name and canonical arguments: a key may not be used again for something else.
  let fingerprint: [UInt8]
  let idempotency: IdempotencyKey?
  /// Wraps the result; nil leaves it as it is.
  let shape: CarrierShape?
}

/// A write to the document, read from JSON already.
struct CommitCall: Sendable {
  let commit: Commit
  /// The operation and its canonical arguments: a key may not be used again for something else.
  let fingerprint: [UInt8]
  let idempotency: IdempotencyKey?
  /// Wraps the answer; nil leaves it as it is.
  let shape: CarrierShape?
  /// Who asks.
  let user: String?
}

/// What an operation that is run once is answered with.
enum Answer: Sendable {
  /// JSON text.
  case data([UInt8])
  /// The place of a commit, and what wraps the answer; the turn's rev is known at its end.
  case commit(seq: Int64, CarrierShape?)

  /// The JSON text of the answer, in a turn of that rev.
  func data(rev: Int64) -> [UInt8] {
    switch self {
    case .data(let bytes): return bytes
    case .commit(let seq, let shape):
      let bytes = Array(#"{"rev":\#(rev),"seq":\#(seq)}"#.utf8)
      return shape?.assemble([bytes]) ?? bytes
    }
  }

  /// The place of the commit that this answers.
  var seq: Int64? {
    if case .commit(let seq, _) = self { seq } else { nil }
  }
}

/// A stream with its arguments.
struct StreamCall: Sendable {
  let open: StreamOpener
  let arguments: JSON
}

/// Names a command across re-sends; of one user only.
struct IdempotencyKey: Hashable, Sendable {
  let user: String?
  let key: String
}

/// Remembers the answers of commands that carried an idempotency key, within one epoch.
///
/// A command that is sent again with the same key is answered, not run. Bounded: the oldest answers
/// are forgotten first.
struct CommandMemory {
  enum Verdict {
    case run
    case wait
    case answer(Result<Answer, WireError>)
    case refuse(WireError)
  }

  private struct Entry {
    let fingerprint: [UInt8]
    var result: Result<Answer, WireError>?
    var waiters: [OperationKey]
  }

  private let limit: Int
  private var entries: [IdempotencyKey: Entry] = [:]
  private var order: [IdempotencyKey] = []

  init(limit: Int) { self.limit = limit }

  /// Says what to do with a command; `.wait` means the running one will answer `waiter`, too.
  mutating func begin(
    _ key: IdempotencyKey,
    _ fingerprint: [UInt8],
    waiter: OperationKey
  ) -> Verdict {
    guard let entry = entries[key] else {
      entries[key] = Entry(fingerprint: fingerprint, result: nil, waiters: [])
      return .run
    }
    if entry.fingerprint != fingerprint {
      return .refuse(
        WireError(
          .keyReused,
          "the idempotency key `\(key.key)` was used for another command or arguments"
        )
      )
    }
    if let result = entry.result { return .answer(result) }
    entries[key]?.waiters.append(waiter)
    return .wait
  }

  /// Notes the answer and returns who else waits for it.
  mutating func end(
    _ key: IdempotencyKey,
    _ result: Result<Answer, WireError>
  ) -> [OperationKey] {
    let waiters = entries[key]?.waiters ?? []
    // A failure changed nothing that was promised: the command may be tried again.
    if case .failure = result {
      entries[key] = nil
      return waiters
    }
    entries[key]?.result = result
    entries[key]?.waiters = []
    order.append(key)
    if order.count > limit {
      let surplus = order.count - limit
      for old in order.prefix(surplus) { entries[old] = nil }
      order.removeFirst(surplus)
    }
    return waiters
  }
}
