import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONRoundTripTests {
  @Test func `any value reads back as it was written`() throws {
    try withSeed { generator in
      for _ in 0..<3000 {
        let value = JSON.random(using: &generator)
        let bytes = value.encoded
        let back = try JSON(parsing: bytes)
        #expect(back == value)
        #expect(back.hashValue == value.hashValue)
        #expect(back.encoded == bytes)
      }
    }
  }

  @Test func `damaged text is accepted or refused, and what is accepted reads back`() throws {
    try withSeed { generator in
      var accepted = 0
      for _ in 0..<20_000 {
        let bytes = JSON.random(using: &generator).encoded.damaged(using: &generator)
        do throws(JSONError) {
          let value = try JSON(parsing: bytes)
          accepted += 1
          #expect(try JSON(parsing: value.encoded) == value)
        } catch {
          #expect((0...bytes.count).contains(error.offset))
          #expect(error.line >= 1 && error.column >= 1)
        }
      }
      #expect(accepted > 0)
    }
  }

  @Test func `random bytes never reach a trap`() throws {
    try withSeed { generator in
      for _ in 0..<20_000 {
        let count = Int.random(in: 0...40, using: &generator)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        _ = try? JSON(parsing: bytes)
      }
    }
  }

  @Test func `equal values have one canonical text, others have another`() throws {
    try withSeed { generator in
      for _ in 0..<3000 {
        let value = JSON.random(using: &generator)
        let bytes = Canonical.bytes(value)
        let back = try JSON(parsing: bytes)
        #expect(back == value)
        let other = JSON.random(depth: 1, using: &generator)
        #expect((Canonical.bytes(other) == bytes) == (other == value))
      }
    }
  }

  @Test func `canonical text writes integral doubles as integers`() {
    let value: JSON = ["b": [3.0, -0.0, 0.5, 1e300], "a": .double(9_007_199_254_740_992)]
    #expect(
      String(decoding: Canonical.bytes(value), as: UTF8.self)
        == #"{"a":9007199254740992,"b":[3,0,0.5,1e+300]}"#
    )
  }
}
