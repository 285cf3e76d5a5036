import ObsWire

/// The subscribers of one live query on one loop, and whether the query is behind its data.
final class Fanout {
  /// Strong both ways: a slot that leaves takes itself out.
  struct Member {
    let session: Session
    let slot: OperationSlot
  }

  let query: LiveQueryID
  var members: [Member] = []
  /// The breaker holds the query back: its values are outside the cut (`deferred`).
  var behind = false

  init(query: LiveQueryID) { self.query = query }
}

/// One active operation of a peer: its newest-value slot, or its stream.
///
/// Belongs to one ``Peer`` and to the loop's thread; a class, so that a fan-out reaches it directly.
final class OperationSlot {
  enum Kind {
    case watch
    case once
    case command
    case stream(StreamQueue)
  }

  let id: String
  /// Unique within the connection; the low bits are the index of the slot.
  let serial: UInt64
  /// Whether `id` stands in JSON as it is.
  private let isPlain: Bool
  var kind = Kind.watch
  var fanout: Fanout?
  /// Where the slot stands among the members of `fanout`.
  var position = 0

  /// The newest value that has not begun to leave.
  var pending: Frame?
  /// The value that is leaving, or was sent last.
  var last: Frame?
  /// Values replaced in `pending` before they were sent.
  var skipped = 0
  /// What `skipped` was when `last` began to leave.
  var lastSkipped = 0
  /// The slot has an entry in the outbox.
  var queued = false
  /// `last` belongs to the batch that is leaving, and has not left.
  var leaving = false
  /// The last message of the operation is in the outbox, or it is over; nothing may be added.
  var ending = false
  /// The operation is over: entries in the outbox that name it are passed over.
  var gone = false

  /// Goes into the extensions of the first value: `,"warnings":[…]`; empty afterwards.
  var warnings: [UInt8] = []
  /// Every value explains itself.
  var explains = false
  /// Every value carries its digest.
  var resumes = false
  /// The value that the client said it has: it is told that it is unchanged, instead of it.
  var known: Frame?

  /// The shortest time between two values (nanoseconds); 0 is none.
  var minInterval: UInt64 = 0
  var notBefore: UInt64 = 0

  init(id: String, serial: UInt64) {
    self.id = id
    self.serial = serial
    isPlain = id.utf8.allSatisfy { byte in
      byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
  }

  private static let head = Array(#"{"id":""#.utf8)
  private static let tail = Array(#"","type":"next","payload":{"data":"#.utf8)

  /// What its `next` messages begin with: `{"id":…,"type":"next","payload":{"data":`.
  ///
  /// Put together from the id each time: a fan-out touches one object less of each subscriber.
  var prefix: [UInt8] {
    var bytes: [UInt8] = []
    appendPrefix(to: &bytes)
    return bytes
  }

  var prefixCount: Int {
    isPlain
      ? OperationSlot.head.count + id.utf8.count + OperationSlot.tail.count
      : ServerMessage.nextPrefix(id: id).count
  }

  func appendPrefix(to bytes: inout [UInt8]) {
    guard isPlain else { return bytes.append(contentsOf: ServerMessage.nextPrefix(id: id)) }
    bytes.append(contentsOf: OperationSlot.head)
    bytes.append(contentsOf: id.utf8)
    bytes.append(contentsOf: OperationSlot.tail)
  }

  /// Makes the pending value the one that leaves.
  ///
  /// False if there is none, or the peer has it already.
  func pin() -> Bool {
    queued = false
    guard let value = pending else { return false }
    pending = nil
    if skipped > 0, last?.bytes == value.bytes {
      skipped += 1  // Changed and changed back while the peer was slow.
      return false
    }
    last = value
    lastSkipped = skipped
    skipped = 0
    leaving = true
    return true
  }

  /// The members of this value's extensions that other subscribers do not get.
  func takeFurther(of frame: Frame, isKnown: Bool) -> [UInt8] {
    if warnings.isEmpty, !explains, !resumes, !isKnown { return [] }
    var further = warnings
    warnings = []
    if resumes || isKnown { frame.appendDigest(to: &further, isKnown: isKnown) }
    if explains, let explanation = frame.explanation {
      further.append(contentsOf: #","explain":"#.utf8)
      further.append(contentsOf: explanation)
    }
    return further
  }
}
