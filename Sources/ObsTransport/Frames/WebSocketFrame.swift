/// Building WebSocket frames (RFC 6455, section 5.2) as a server sends them: unmasked.
///
/// Servers send preframed bytes, so that one framing serves any number of receivers.
public enum WebSocketFrame {
  /// The kind of a frame.
  public enum Opcode: UInt8, Sendable {
    /// A later fragment of a message.
    case continuation = 0x0
    /// A message, or its first fragment, of UTF-8 text.
    case text = 0x1
    /// A message, or its first fragment, of bytes.
    case binary = 0x2
    /// The beginning or the answer of a close.
    case close = 0x8
    /// A request for a pong.
    case ping = 0x9
    /// The answer to a ping.
    case pong = 0xA
  }

  /// The longest header of an unmasked frame, in bytes.
  public static let maximumHeaderLength = 10

  /// The most payload bytes of a fragment that ``message(_:_:fragmentLength:)`` makes: 64 KiB.
  ///
  /// The library copies what a socket does not take; fragments of this size keep that copy small for a slow peer, and its pongs
  /// get through between them (trap 8).
  public static let defaultFragmentLength = 64 * 1024

  /// The length of the header before a payload, in bytes: 2, 4 or 10.
  public static func headerLength(payloadLength: Int) -> Int {
    payloadLength < 126 ? 2 : payloadLength < 65536 ? 4 : 10
  }

  /// Appends the header of an unmasked frame.
  ///
  /// - Parameters:
  ///   - bytes: where the header goes.
  ///   - opcode: the kind; ``Opcode/continuation`` for every fragment but the first.
  ///   - final: whether this is the last fragment of its message.
  ///   - payloadLength: how many bytes follow; control frames have at most 125.
  public static func appendHeader(
    to bytes: inout [UInt8],
    opcode: Opcode,
    final: Bool = true,
    payloadLength: Int
  ) {
    appendHeader(to: &bytes, opcode: opcode, final: final, payloadLength: payloadLength, maskBit: 0)
  }

  static func appendHeader(
    to bytes: inout [UInt8],
    opcode: Opcode,
    final: Bool,
    payloadLength: Int,
    maskBit: UInt8
  ) {
    bytes.append((final ? 0x80 : 0) | opcode.rawValue)
    switch payloadLength {
    case ..<126:
      bytes.append(maskBit | UInt8(payloadLength))
    case ..<65536:
      bytes.append(maskBit | 126)
      bytes.append(UInt8(payloadLength >> 8))
      bytes.append(UInt8(payloadLength & 0xff))
    default:
      bytes.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: payloadLength >> shift))
      }
    }
  }

  /// A whole message as frames, in fragments of at most `fragmentLength` payload bytes.
  public static func message(
    _ opcode: Opcode,
    _ payload: some Collection<UInt8>,
    fragmentLength: Int = defaultFragmentLength
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      payload.count + maximumHeaderLength * (payload.count / fragmentLength + 1)
    )
    var rest = payload[...]
    var kind = opcode
    repeat {
      let piece = rest.prefix(fragmentLength)
      rest = rest.dropFirst(fragmentLength)
      appendHeader(to: &bytes, opcode: kind, final: rest.isEmpty, payloadLength: piece.count)
      bytes.append(contentsOf: piece)
      kind = .continuation
    } while !rest.isEmpty
    return bytes
  }

  /// A close frame.
  ///
  /// The reason is cut, at a character, to the 123 bytes of UTF-8 that fit.
  public static func close(code: UInt16, reason: String) -> [UInt8] {
    let payload = closePayload(code: code, reason: reason)
    var bytes: [UInt8] = []
    appendHeader(to: &bytes, opcode: .close, payloadLength: payload.count)
    return bytes + payload
  }

  static func closePayload(code: UInt16, reason: String) -> [UInt8] {
    var text = Array(reason.utf8.prefix(123))
    if reason.utf8.count > 123 {
      while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
      if let last = text.last, last >= 0x80 { text.removeLast() }
    }
    return [UInt8(code >> 8), UInt8(code & 0xff)] + text
  }

  /// A frame as a client sends it: masked with `key`.
  static func masked(
    _ opcode: Opcode,
    final: Bool = true,
    _ payload: ArraySlice<UInt8>,
    key: UInt32
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + 14)
    appendHeader(
      to: &bytes,
      opcode: opcode,
      final: final,
      payloadLength: payload.count,
      maskBit: 0x80
    )
    let mask = [
      UInt8(truncatingIfNeeded: key >> 24), UInt8(truncatingIfNeeded: key >> 16),
      UInt8(truncatingIfNeeded: key >> 8), UInt8(truncatingIfNeeded: key),
    ]
    bytes.append(contentsOf: mask)
    let start = bytes.count
    bytes.append(contentsOf: payload)
    unsafe bytes.withUnsafeMutableBytes {
      unsafe Self.mask(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), key)
    }
    return bytes
  }

  /// Masks eight bytes at a time: this runs on the loop's thread, where the other connections wait.
  private static func mask(_ payload: UnsafeMutableRawBufferPointer, _ key: UInt32) {
    // The key's first byte is for the first byte of the payload, on every machine.
    let word = (UInt64(key) << 32 | UInt64(key)).bigEndian
    var place = 0
    while place &+ 8 <= payload.count {
      let plain = unsafe payload.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      unsafe payload.storeBytes(of: plain ^ word, toByteOffset: place, as: UInt64.self)
      place &+= 8
    }
    while place < payload.count {
      unsafe payload[place] ^= UInt8(truncatingIfNeeded: key >> (24 - 8 * (place & 3)))
      place &+= 1
    }
  }
}
