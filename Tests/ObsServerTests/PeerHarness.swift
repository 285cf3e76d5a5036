@testable import ObsServer
import ObsWire
import Testing

/// A peer without a socket: messages in, decoded messages out.
struct PeerHarness {
  var peer: Peer
  var buffer = WriteBuffer()
  var now: UInt64 = 1

  init(limits: Limits = Limits(), ready: Bool = true) {
    peer = Peer(limits: limits, now: 0)
    guard ready else { return }
    _ = peer.receive(.connectionInit(payload: [:]), now: now)
    _ = peer.accept(Caller(), acknowledgement: [:])
    _ = writes(rev: 0)
  }

  /// Starts an operation and returns its serial.
  mutating func subscribe(_ id: String) -> UInt64? {
    let effect = peer.receive(
      .subscribe(id: id, payload: SubscribePayload(operationName: "q")),
      now: now
    )
    guard case .start(let serial, _) = effect else { return nil }
    return serial
  }

  /// Starts an operation that must be accepted.
  mutating func started(_ id: String) throws -> UInt64 {
    let serial = subscribe(id)
    return try #require(serial)
  }

  mutating func offer(_ json: String, to serial: UInt64) -> Peer.Offer {
    offer(Frame(Array(json.utf8)), to: serial)
  }

  mutating func offer(_ frame: Frame, to serial: UInt64) -> Peer.Offer {
    peer.slot(serial).map { peer.offer(frame, to: $0, now: now) } ?? .ignored
  }

  mutating func finish(_ serial: UInt64) {
    if let slot = peer.slot(serial) { _ = peer.finish(slot, error: nil) }
  }

  /// Everything the socket would get, as raw writes.
  mutating func writes(rev: Int64, most: Int = .max) -> [[UInt8]] {
    var all: [[UInt8]] = []
    while all.count < most {
      switch peer.nextWrite(&buffer, rev: rev, now: now) {
      case .nothing: return all
      case .joined: all.append(buffer.bytes)
      case .shared(let fragment): all.append(fragment)
      }
    }
    return all
  }

  /// Everything the socket would get, decoded.
  mutating func messages(rev: Int64, most: Int = .max) throws -> [ServerMessage] {
    try decode(writes(rev: rev, most: most).flatMap { $0 })
  }

  func decode(_ bytes: [UInt8]) throws -> [ServerMessage] {
    var messages: [ServerMessage] = []
    var text: [UInt8] = []
    var at = 0
    while at < bytes.count {
      let final = bytes[at] & 0x80 != 0
      var length = Int(bytes[at + 1] & 0x7F)
      at += 2
      let extra = length == 126 ? 2 : length == 127 ? 8 : 0
      if extra > 0 { length = bytes[at..<at + extra].reduce(0) { $0 << 8 | Int($1) } }
      at += extra
      text += bytes[at..<at + length]
      at += length
      if final {
        messages.append(try ServerMessage(parsing: text, limits: .unlimited))
        text = []
      }
    }
    return messages
  }
}

extension ServerMessage {
  /// `a=1@7` for the value 1 of rev 7 of operation `a`, with `+` for more, `~n` for skipped.
  var short: String {
    switch self {
    case .next(let id, let payload):
      var text = "\(id)=\(payload.data)@\(payload.extensions["rev"] ?? .null)"
      if let skipped = payload.extensions["skipped"]?.intValue { text += "~\(skipped)" }
      if payload.extensions["more"] == true { text += "+" }
      if payload.extensions["deferred"] == true { text += "!" }
      if let event = payload.extensions["event"]?.intValue { text += "#\(event)" }
      return text
    case .error(let id, let errors): return "\(id)!\(errors.first?.code.rawValue ?? "")"
    case .complete(let id): return "\(id)."
    case .connectionAck: return "ack"
    case .ping: return "ping"
    case .pong: return "pong"
    }
  }
}
