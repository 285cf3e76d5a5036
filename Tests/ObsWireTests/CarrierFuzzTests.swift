import FoundationEssentials
import ObsWire
import Testing

/// Random changes to valid documents: whatever comes out is read or refused, and never traps.
@Suite(.timeLimit(.minutes(5)))
struct CarrierFuzzTests {
  static let documents = [
    #"subscription Open($n: Int! = 5, $s: [S!]) { newest(limit: $n, s: $s) { id name: title { a } __typename } b }"#,
    #"mutation { patch(ops: [{op: add, path: "/a/\u{1F600}\uD83D\uDE00\n", value: -1.5e-3}], key: null) kind: __typename }"#,
    "query($a:JSON={b:[1,2.0,true,\"x\"]}){f(a:$a,b:\"\"\"\n  é\r\n    \\\"\"\"\r  x\"\"\")f(a:$a,b:\"é\\nx\") # 😀\n}",
    "\u{FEFF}query Q { a(x: 9223372036854775807, y: -0, z: 1e308) { b { c { d } } } a: a }",
  ]

  /// Pieces that change the meaning more often than random bytes do.
  static let pieces = [
    "{", "}", "(", ")", "[", "]", ":", "$", "!", "=", "@", "|", "&", "...", "\"", "\"\"\"", "\\",
    "\\u", "\\u{", "\\\"\"\"", "#", "\r\n", "\n", ",", "-", ".", "e", "0", "9999999999", "null",
    "__typename", "__schema", "fragment", "query", "\u{FEFF}", "\u{0}", "\u{301}", "'",
    "\u{10FFFF}",
  ].map { Array($0.utf8) }

  /// From `OBS_SEED`, else a new one; an argument, so that it is printed before anything can trap.
  static let seed =
    ProcessInfo.processInfo.environment["OBS_SEED"].flatMap { UInt64($0) }
    ?? .random(in: .min ... .max)

  @Test(arguments: [seed])
  func `random documents are read or refused`(seed: UInt64) throws {
    var random = Generator(state: seed)
    var accepted = 0
    for _ in 0..<20_000 {
      let text = String(decoding: Self.mutated(&random), as: UTF8.self)
      let isCarrier = CarrierDocument.isCarrier(text)
      do {
        let document = try CarrierDocument(parsing: text, variables: ["n": 1, "s": ["open"]])
        accepted += 1
        #expect(isCarrier, "OBS_SEED=\(seed): \(text.debugDescription)")
        #expect(!document.fields.isEmpty)
        _ = document.canonical
        for field in document.fields {
          let value = JSON.array([.object(field.arguments), ["id": [["a": 1]]]])
          _ = CarrierDocument.project(value, through: field.selection)
        }
      } catch {
        let offset = try #require(error.extensions["offset"]?.intValue)
        let place = try #require(error.locations.first)
        let count = Int64(text.unicodeScalars.count)
        #expect(
          (0...count).contains(offset) && place.line >= 1 && place.column >= 1,
          "OBS_SEED=\(seed): \(text.debugDescription)"
        )
      }
    }
    #expect(accepted > 100)
  }

  private static func mutated(_ random: inout Generator) -> [UInt8] {
    var bytes = Array(documents.randomElement(using: &random)?.utf8 ?? "".utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, index + Int.random(in: 1...8, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.removeSubrange(index..<end)
      case 1: bytes.insert(contentsOf: bytes[index..<end], at: index)
      case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: index)
      case 3: bytes.replaceSubrange(index..<end, with: pieces.randomElement(using: &random) ?? [])
      case 4: bytes.insert(.random(in: .min ... .max, using: &random), at: index)
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }

  /// SplitMix64.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
