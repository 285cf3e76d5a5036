import ObsTransport

/// One encoded value of a live query: immutable bytes, made once, shared by all subscribers.
///
/// The bytes stand behind `"data":` in a `next` message. For an error that data can heal they are
/// `null,"errors":[…]`.
final class Frame: Sendable {
  /// Values up to this size are copied into a peer's joined write; larger ones go out as fragments.
  static let copiedBytes = 16 * 1024
  /// The payload of one shared continuation fragment.
  static let fragmentBytes = 64 * 1024

  /// JSON text.
  let bytes: [UInt8]
  /// Evaluated later than the turn that changed it (PROTOCOL.md, "Extensions").
  let deferred: Bool
  /// What `explain` tells of the evaluation, as JSON text; made only when somebody asked.
  let explanation: [UInt8]?
  /// The value cut into ready WebSocket continuation frames, header included; empty if it is copied.
  let fragments: [[UInt8]]

  init(_ bytes: [UInt8], deferred: Bool = false, explanation: [UInt8]? = nil) {
    self.bytes = bytes
    self.explanation = explanation
    self.deferred = deferred
    var fragments: [[UInt8]] = []
    if bytes.count > Frame.copiedBytes {
      var start = 0
      while start < bytes.count {
        let end = min(start + Frame.fragmentBytes, bytes.count)
        var fragment: [UInt8] = []
        fragment.reserveCapacity(end - start + 10)
        WebSocketFrame.appendHeader(
          to: &fragment,
          opcode: .continuation,
          final: false,
          payloadLength: end - start
        )
        fragment.append(contentsOf: bytes[start..<end])
        fragments.append(fragment)
        start = end
      }
    }
    self.fragments = fragments
  }
}
