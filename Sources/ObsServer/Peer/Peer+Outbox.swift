import ObsTransport
import ObsWire

/// Something that waits to leave, in order.
enum OutboxEntry {
  /// A whole message.
  case message([UInt8])
  /// The newest value of a slot.
  case slot(OperationSlot)
  /// The events of a stream.
  case stream(OperationSlot)
  /// The last message of an operation; its slot is free once this has left.
  case end(OperationSlot, [UInt8])
}

/// A value over ``Frame/copiedBytes`` that has begun to leave as fragments.
struct LargeFrame {
  let frame: Frame
  let suffix: [UInt8]
  var nextFragment = 0
}

/// Buffers that one loop reuses for all its peers.
struct WriteBuffer {
  /// WebSocket frames, joined.
  var bytes: [UInt8] = []
  /// The last suffix made, and what it was made for: most peers of a pass get the same one.
  fileprivate var suffix: [UInt8] = []
  fileprivate var suffixKey: SuffixKey?

  /// What stands in the extensions of a value.
  fileprivate struct SuffixKey: Equatable {
    var rev: Int64
    var seq: Int64?
    var skipped: Int
    var more: Bool
    var deferred: Bool
  }

  init() { bytes.reserveCapacity(2 * Peer.joinedBytes) }

  /// Makes the suffix; `further` are members of its own, each with a comma before it.
  fileprivate mutating func makeSuffix(_ key: SuffixKey, further: [UInt8] = []) {
    if key == suffixKey, further.isEmpty { return }
    suffixKey = further.isEmpty ? key : nil
    suffix.removeAll(keepingCapacity: true)
    suffix.append(contentsOf: #","extensions":{"rev":"#.utf8)
    suffix.append(contentsOf: String(key.rev).utf8)
    if let seq = key.seq {
      suffix.append(contentsOf: #","seq":"#.utf8)
      suffix.append(contentsOf: String(seq).utf8)
    }
    if key.skipped > 0 {
      suffix.append(contentsOf: #","skipped":"#.utf8)
      suffix.append(contentsOf: String(key.skipped).utf8)
    }
    if key.more { suffix.append(contentsOf: #","more":true"#.utf8) }
    if key.deferred { suffix.append(contentsOf: #","deferred":true"#.utf8) }
    suffix.append(contentsOf: further)
    suffix.append(contentsOf: "}}}".utf8)
  }
}

/// What leaves, and when: newest values in slots, whole batches of one rev, nothing without room.
///
/// A **batch** is what stood in the outbox when the socket had room. Its values are pinned: it is
/// finished as it was, while newer values wait in the slots. So a slow peer costs two references a
/// subscription, and `more` keeps its promise.
extension Peer {
  /// A joined write ends after this many bytes.
  static let joinedBytes = 16 * 1024

  /// What ``offer(_:to:now:)`` did with a value.
  enum Offer {
    /// It will leave when the socket has room.
    case queued
    /// It took the place of an unsent one, which is skipped.
    case replaced
    /// It must wait until then (`minInterval`); call ``release(_:)``.
    case held(until: UInt64)
    /// The operation is over.
    case ignored
  }

  /// True when there is something to write.
  var hasOutput: Bool {
    only != nil || !outbox.isEmpty || batchPosition < batch.count || large != nil
  }

  // MARK: In

  /// Puts a whole message in the outbox.
  ///
  /// The effect closes the peer if it reads too slowly.
  mutating func send(_ message: [UInt8]) -> Effect? { push(.message(message), message.count) }

  private mutating func push(_ entry: OutboxEntry, _ size: Int) -> Effect? {
    if phase == .closed { return nil }
    append(entry)
    outboxBytes += size
    return outboxBytes > limits.outboxBytes ? close(.overloaded, "slow consumer") : nil
  }

  private mutating func append(_ entry: OutboxEntry) {
    if let only {
      self.only = nil
      outbox.append(.slot(only))
    }
    outbox.append(entry)
  }

  private mutating func append(_ slot: OperationSlot) {
    if only == nil, outbox.isEmpty { only = slot } else { append(.slot(slot)) }
  }

  /// Puts a value in its slot; an unsent older one is skipped.
  mutating func offer(_ frame: Frame, to slot: OperationSlot, now: UInt64) -> Offer {
    if slot.ending { return .ignored }
    let replaces = slot.pending != nil
    slot.pending = frame
    if replaces {
      slot.skipped += 1
      return .replaced
    }
    if slot.queued { return .queued }
    slot.queued = true
    if slot.notBefore > now { return .held(until: slot.notBefore) }
    append(slot)
    return .queued
  }

  /// Lets a held value leave.
  mutating func release(_ serial: UInt64) {
    if let slot = slot(serial) { append(slot) }
  }

  /// The stream of an operation has events.
  mutating func streamReady(_ serial: UInt64) {
    guard let slot = slot(serial), !slot.queued else { return }
    slot.queued = true
    append(.stream(slot))
  }

  /// Answers a command: one `next`, then `complete`, behind the values it caused.
  mutating func answer(_ serial: UInt64, data: [UInt8], rev: Int64, seq: Int64? = nil) -> Effect? {
    guard let slot = slot(serial) else { return nil }
    var message = slot.prefix
    message.append(contentsOf: data)
    message.append(contentsOf: #","extensions":{"rev":\#(rev)"#.utf8)
    if let seq { message.append(contentsOf: #","seq":\#(seq)"#.utf8) }
    message.append(contentsOf: "}}}".utf8)
    counts.answers += 1
    return send(message) ?? finish(slot, error: nil)
  }

  /// Ends an operation behind all that it has in the outbox.
  mutating func finish(_ slot: OperationSlot, error: WireError?) -> Effect? {
    if slot.ending { return nil }
    slot.ending = true
    if slot.queued, slot.pending != nil { hasten(slot) }
    let message: ServerMessage
    if let error {
      refusals.append(error.code.rawValue)
      message = .error(id: slot.id, errors: [error])
    } else {
      message = .complete(id: slot.id)
    }
    let bytes = message.encoded
    return push(.end(slot, bytes), bytes.count)
  }

  /// A value that `minInterval` holds back leaves now if it is the last one.
  private mutating func hasten(_ slot: OperationSlot) {
    if only === slot { return }
    let waits = outbox.contains { entry in
      if case .slot(let other) = entry { other === slot } else { false }
    }
    if !waits { append(slot) }
  }

  // MARK: Out

  /// What to hand to the socket next.
  enum Write {
    case nothing
    /// `buffer.bytes`
    case joined
    /// A fragment that all subscribers of the value share.
    case shared([UInt8])
  }

  /// The next bytes for the socket, which must have room.
  ///
  /// A batch that begins now carries `rev` and `seq`, the newest.
  mutating func nextWrite(
    _ buffer: inout WriteBuffer,
    rev: Int64,
    seq: Int64? = nil,
    now: UInt64
  ) -> Write {
    buffer.bytes.removeAll(keepingCapacity: true)
    if let begun = large {
      if begun.nextFragment < begun.frame.fragments.count {
        large?.nextFragment += 1
        return .shared(begun.frame.fragments[begun.nextFragment])
      }
      appendFrame(&buffer.bytes, .continuation, final: true, begun.suffix)
      large = nil
      batchPosition += 1
    }
    if batchPosition == batch.count {
      batch.removeAll(keepingCapacity: batch.capacity <= 16)
      batchPosition = 0
      if let only {
        self.only = nil
        if emitAlone(only, &buffer, rev: rev, seq: seq, now: now) { return .joined }
      }
      if outbox.isEmpty { return buffer.bytes.isEmpty ? .nothing : .joined }
      beginBatch(rev, seq)
    }
    while batchPosition < batch.count, buffer.bytes.count < Peer.joinedBytes {
      let progress = emit(batch[batchPosition], &buffer, now: now)
      if progress == .blocked { break }
      if progress == .done { batchPosition += 1 }
    }
    if buffer.bytes.isEmpty {
      // Everything in the batch was passed over.
      return hasOutput ? nextWrite(&buffer, rev: rev, seq: seq, now: now) : .nothing
    }
    return .joined
  }

  /// Writes the only value of the outbox, unless it needs fragments or has been sent already.
  private mutating func emitAlone(
    _ slot: OperationSlot,
    _ buffer: inout WriteBuffer,
    rev: Int64,
    seq: Int64?,
    now: UInt64
  ) -> Bool {
    if slot.gone { return false }
    guard slot.pending?.fragments.isEmpty == true else {
      outbox.append(.slot(slot))
      return false
    }
    guard slot.pin() else { return false }
    batchRev = rev
    batchSeq = seq
    framesLeft = 1
    return emitValue(slot, &buffer, now: now) == .done
  }

  private mutating func beginBatch(_ rev: Int64, _ seq: Int64?) {
    swap(&batch, &outbox)
    batchRev = rev
    batchSeq = seq
    framesLeft = 0
    for entry in batch {
      if case .slot(let slot) = entry, slot.pin() { framesLeft += 1 }
    }
  }

  private enum Progress {
    case done
    /// More of the entry follows in the next write.
    case blocked
  }

  private mutating func emit(
    _ entry: OutboxEntry,
    _ buffer: inout WriteBuffer,
    now: UInt64
  ) -> Progress {
    switch entry {
    case .message(let message):
      outboxBytes -= message.count
      appendFrame(&buffer.bytes, .text, final: true, message)
      return .done
    case .end(let slot, let message):
      outboxBytes -= message.count
      if slot.gone { return .done }
      remove(slot)
      appendFrame(&buffer.bytes, .text, final: true, message)
      return .done
    case .slot(let slot):
      return emitValue(slot, &buffer, now: now)
    case .stream(let slot):
      return emitEvents(slot, &buffer)
    }
  }

  private mutating func emitValue(
    _ slot: OperationSlot,
    _ buffer: inout WriteBuffer,
    now: UInt64
  ) -> Progress {
    guard slot.leaving, let frame = slot.last else { return .done }
    let isKnown = slot.known === frame
    let isLarge = !frame.fragments.isEmpty && !isKnown
    if isLarge, !buffer.bytes.isEmpty {
      return .blocked  // What is joined so far leaves first.
    }
    if slot.known != nil { slot.known = nil }
    slot.leaving = false
    if slot.minInterval > 0 { slot.notBefore = now &+ slot.minInterval }
    framesLeft -= 1
    counts.frames += 1
    if isKnown { counts.unchanged += 1 }
    buffer.makeSuffix(
      WriteBuffer.SuffixKey(
        rev: batchRev,
        seq: batchSeq,
        skipped: slot.lastSkipped,
        more: framesLeft > 0,
        deferred: frame.deferred || slot.fanout?.behind == true
      ),
      further: slot.takeFurther(of: frame, isKnown: isKnown)
    )
    guard !isLarge else {
      appendFrame(&buffer.bytes, .text, final: false, slot.prefix)
      large = LargeFrame(frame: frame, suffix: buffer.suffix)
      return .blocked
    }
    let value = isKnown ? Frame.unchanged : frame.bytes
    WebSocketFrame.appendHeader(
      to: &buffer.bytes,
      opcode: .text,
      final: true,
      payloadLength: slot.prefixCount + value.count + buffer.suffix.count
    )
    slot.appendPrefix(to: &buffer.bytes)
    buffer.bytes.append(contentsOf: value)
    buffer.bytes.append(contentsOf: buffer.suffix)
    return .done
  }

  private mutating func emitEvents(_ slot: OperationSlot, _ buffer: inout WriteBuffer) -> Progress {
    guard !slot.gone, case .stream(let queue) = slot.kind else { return .done }
    while buffer.bytes.count < Peer.joinedBytes {
      switch queue.take() {
      case .event(let event, let number):
        var message = slot.prefix
        message.append(contentsOf: event)
        message.append(contentsOf: #","extensions":{"event":\#(number)}}}"#.utf8)
        appendFrame(&buffer.bytes, .text, final: true, message)
        counts.events += 1
      case .ended(let error):
        slot.queued = false
        _ = finish(slot, error: error)
        return .done
      case nil:
        slot.queued = false
        return .done
      }
    }
    return .blocked
  }

  private func appendFrame(
    _ bytes: inout [UInt8],
    _ opcode: WebSocketFrame.Opcode,
    final: Bool,
    _ payload: [UInt8]
  ) {
    WebSocketFrame.appendHeader(
      to: &bytes,
      opcode: opcode,
      final: final,
      payloadLength: payload.count
    )
    bytes.append(contentsOf: payload)
  }
}
