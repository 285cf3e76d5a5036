/// Puts the pieces of a message together, within a limit.
///
/// The library has none: it accepts a header that announces 546 GB. The limit is checked against what was announced before
/// anything is kept, so a peer can make us hold at most the limit.
struct MessageAssembler {
  /// What the library says about a piece.
  struct Piece {
    var isFirst: Bool
    var isFinal: Bool
    var isBinary: Bool
    /// Bytes of the current frame that have not arrived yet.
    var remaining: Int
  }

  /// What comes of a piece.
  enum Result {
    case more
    case message(WebSocketMessage)
    /// The connection has to end with this code.
    case violation(code: UInt16, reason: String)
  }

  let maximumBytes: Int
  let acceptsBinary: Bool
  private var collected: [UInt8] = []
  private var text = UTF8Validator()

  init(maximumBytes: Int, acceptsBinary: Bool) {
    self.maximumBytes = maximumBytes
    self.acceptsBinary = acceptsBinary
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer, _ piece: Piece) -> Result {
    if piece.isFirst {
      collected = []
      text = UTF8Validator()
      if piece.isBinary, !acceptsBinary {
        return .violation(code: 1003, reason: "text only")
      }
    }
    let (announced, overflow) = (collected.count + bytes.count)
      .addingReportingOverflow(piece.remaining)
    guard !overflow, announced <= maximumBytes else {
      collected = []
      return .violation(code: 1009, reason: "message over \(maximumBytes) bytes")
    }
    if !piece.isBinary {
      guard unsafe text.accept(bytes), !piece.isFinal || text.isComplete else {
        collected = []
        return .violation(code: 1007, reason: "invalid UTF-8")
      }
    }
    if piece.isFirst, piece.isFinal {
      return .message(Self.message(unsafe Array(bytes), piece))
    }
    if collected.isEmpty, piece.remaining > 0 {
      // A peer's announcement reserves memory only as far as it was followed by bytes; a quarter ahead at first.
      collected.reserveCapacity(min(announced, 16 * 1024))
    }
    unsafe collected.append(contentsOf: bytes)
    guard piece.isFinal else { return .more }
    defer { collected = [] }
    return .message(Self.message(collected, piece))
  }

  private static func message(_ bytes: [UInt8], _ piece: Piece) -> WebSocketMessage {
    piece.isBinary ? .binary(bytes) : .text(bytes)
  }
}
