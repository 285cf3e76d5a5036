import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct UTF8ValidatorTests {
  private func isValid(_ bytes: [UInt8], splitAt split: Int? = nil) -> Bool {
    var validator = UTF8Validator()
    let pieces = split.map { [Array(bytes[..<$0]), Array(bytes[$0...])] } ?? [bytes]
    for piece in pieces {
      let holds = unsafe piece.withUnsafeBytes { unsafe validator.accept($0) }
      guard holds else { return false }
    }
    return validator.isComplete
  }

  @Test("Text is valid however it is split")
  func splits() {
    let text = Array("aé日𝄞 and twenty more ASCII bytes, then \u{10FFFF}\u{FFFF}\u{7FF}\u{800}".utf8)
    for split in 0...text.count { #expect(isValid(text, splitAt: split), "split at \(split)") }
  }

  @Test(
    "Faulty UTF-8 is refused, however it is split",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
      [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xFF], [0xC3, 0x28], [0xE2, 0x82], [0xF0, 0x9D, 0x84], [0x41, 0xC3],
      Array(repeating: 0x61, count: 17) + [0xFE],
    ] as [[UInt8]]
  )
  func faults(bytes: [UInt8]) {
    for split in 0...bytes.count { #expect(!isValid(bytes, splitAt: split), "split at \(split)") }
  }

  @Test("It agrees with the standard library on random bytes")
  func random() {
    var generator = SystemRandomNumberGenerator()
    let interesting: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
      0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...12)).map { _ in
        interesting[Int.random(in: 0..<interesting.count, using: &generator)]
      }
      let expected = String(validating: bytes, as: UTF8.self) != nil
      #expect(isValid(bytes) == expected, "\(bytes)")
      #expect(isValid(bytes, splitAt: bytes.count / 2) == expected, "\(bytes)")
    }
  }
}
