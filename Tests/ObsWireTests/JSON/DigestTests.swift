import Foundation
import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DigestTests {
  /// Computed with Python's `hashlib` and `base64`.
  @Test(
    "a digest is what others compute from the canonical text",
    arguments: [
      (.null, "dCNOmK_nSY-12vHzasLXig"), (3, "TgdAhWK-24tgzgXB3s_jrQ"),
      (3.0, "TgdAhWK-24tgzgXB3s_jrQ"), ([], "T1PNoYwrqgwDVLtfmj7L5Q"),
      (["b": [1.5, "é"], "a": 1], "K7ICs1ljrZ5X-H5YKOByzA"),
    ] as [(JSON, String)]
  )
  func known(value: JSON, digest: String) {
    #expect(Digest.of(value) == digest)
  }

  @Test("every digest has the form of one, and its last character the two bits that are left")
  func form() throws {
    try withSeed { generator in
      for _ in 0..<1000 {
        let digest = Digest.of(.random(using: &generator))
        #expect(Digest.isDigest(digest))
        #expect(digest.last.map { "AQgw".contains($0) } == true)
        let base64 = digest.replacing("-", with: "+").replacing("_", with: "/") + "=="
        #expect(Data(base64Encoded: base64)?.count == 16)
      }
    }
  }

  @Test(
    "anything else has not",
    arguments: [
      "", "abc", String(repeating: "A", count: 21), String(repeating: "A", count: 23),
      String(repeating: "A", count: 21) + "=", String(repeating: "A", count: 21) + "+",
      String(repeating: "A", count: 20) + "é",
    ]
  )
  func others(text: String) {
    #expect(!Digest.isDigest(text))
  }
}
