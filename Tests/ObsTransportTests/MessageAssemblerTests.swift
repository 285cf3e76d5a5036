import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct MessageAssemblerTests {
  private enum Outcome: Equatable {
    case more
    case message(WebSocketMessage)
    case violation(UInt16)
  }

  private func add(
    _ assembler: inout MessageAssembler,
    _ text: [UInt8],
    first: Bool,
    final: Bool,
    binary: Bool = false,
    remaining: Int = 0
  ) -> Outcome {
    let piece = MessageAssembler.Piece(
      isFirst: first,
      isFinal: final,
      isBinary: binary,
      remaining: remaining
    )
    let result = unsafe text.withUnsafeBytes { unsafe assembler.add($0, piece) }
    return switch result {
    case .more: .more
    case .message(let message): .message(message)
    case .violation(let code, _): .violation(code)
    }
  }

  @Test("Pieces become one message, and the next begins empty")
  func pieces() {
    var assembler = MessageAssembler(maximumBytes: 100, acceptsBinary: false)
    let a = Array("grü".utf8)
    #expect(add(&assembler, Array(a[..<3]), first: true, final: false) == .more)
    #expect(
      add(&assembler, Array(a[3...]), first: false, final: true)
        == .message(.text(Array("grü".utf8)))
    )
    #expect(add(&assembler, [], first: true, final: true) == .message(.text([])))
  }

  @Test("What is announced counts before it arrives")
  func limit() {
    var assembler = MessageAssembler(maximumBytes: 10, acceptsBinary: true)
    #expect(add(&assembler, [1], first: true, final: false, binary: true, remaining: 9) == .more)
    #expect(
      add(&assembler, [1], first: true, final: false, binary: true, remaining: 10)
        == .violation(1009)
    )
    #expect(
      add(&assembler, [1], first: true, final: false, binary: true, remaining: .max)
        == .violation(1009)
    )
    // Ten are allowed, one more is not.
    let ten = [UInt8](repeating: 1, count: 10)
    #expect(add(&assembler, ten, first: true, final: false, binary: true) == .more)
    #expect(add(&assembler, [], first: false, final: false, binary: true) == .more)
    #expect(add(&assembler, [1], first: false, final: false, binary: true) == .violation(1009))
  }

  @Test("Binary is refused unless it was asked for; text is validated across pieces")
  func kinds() {
    var assembler = MessageAssembler(maximumBytes: 10, acceptsBinary: false)
    #expect(add(&assembler, [1], first: true, final: true, binary: true) == .violation(1003))
    #expect(add(&assembler, [0xE2], first: true, final: false) == .more)
    #expect(add(&assembler, [0x28], first: false, final: true) == .violation(1007))
    #expect(add(&assembler, [0xE2, 0x82], first: true, final: true) == .violation(1007))
  }
}
