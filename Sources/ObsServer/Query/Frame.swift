import ObsTransport
import ObsWire
import Synchronization

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
  /// Stands for errors that data can heal, not for a value.
  let isError: Bool
  /// Evaluated later than the turn that changed it (PROTOCOL.md, "Extensions").
  let deferred: Bool
  /// What `explain` tells of the evaluation, as JSON text; made only when somebody asked.
  let explanation: [UInt8]?
  /// The value cut into ready WebSocket continuation frames, header included; empty if it is copied.
  let fragments: [[UInt8]]
  private let name: Mutex<String?>

  init(
    _ bytes: [UInt8],
    isError: Bool = false,
    deferred: Bool = false,
    explanation: [UInt8]? = nil,
    digest: String? = nil
  ) {
    self.bytes = bytes
    self.isError = isError
    name = Mutex(digest)
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

  // MARK: The digest

  /// The digest of the value; nil until ``makeDigest()``, and for errors.
  var digest: String? { name.withLock { $0 } }

  /// Computes the digest, which happens once a value and only for those who resume; true if it was done now.
  ///
  /// Called on the model thread, so that a large value does not hold up the sockets. The written bytes need not be the
  /// canonical ones (`3.0`, the order of members), so they are read back first.
  func makeDigest() -> Bool {
    guard !isError, digest == nil, let value = try? JSON(parsing: bytes, limits: .unlimited) else {
      return false
    }
    let made = Digest.of(value)
    name.withLock { $0 = made }
    return true
  }

  /// What stands for the value where the client has it already.
  static let unchanged = Array("null".utf8)

  /// Appends what a resuming client is told of the value: `,"digest":"…"`, and `,"unchanged":true` where it has it.
  func appendDigest(to extensions: inout [UInt8], isKnown: Bool) {
    guard let digest else { return }
    extensions.append(contentsOf: #","digest":""#.utf8)
    extensions.append(contentsOf: digest.utf8)
    extensions.append(UInt8(ascii: "\""))
    if isKnown { extensions.append(contentsOf: #","unchanged":true"#.utf8) }
  }
}
