import ObsTestSupport
import ObsWire

extension JSON {
  /// Any JSON value that has a text, with the odd numbers and characters that break parsers.
  static func random(depth: Int = 4, using generator: inout SeededGenerator) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(.random(using: &generator))
    case 2: return .int(randomInteger(using: &generator))
    case 3: return .double(randomDouble(using: &generator))
    case 4, 5: return .string(randomText(allowingNUL: true, using: &generator))
    case 6:
      let count = Int.random(in: 0...5, using: &generator)
      return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
    default:
      var object = Object()
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        let key = randomText(allowingNUL: false, using: &generator)
        object[key] = random(depth: depth - 1, using: &generator)
      }
      return .object(object)
    }
  }

  static func randomInteger(using generator: inout SeededGenerator) -> Int64 {
    let wide = Int64.random(in: .min ... .max, using: &generator)
    return wide >> Int64.random(in: 0..<64, using: &generator)
  }

  static func randomDouble(using generator: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      return [0.0, -0.0, 0.1, 1e22, .leastNonzeroMagnitude, .greatestFiniteMagnitude].randomElement(
        using: &generator
      ) ?? 0
    case 1: return Double(randomInteger(using: &generator))
    case 2: return Double(randomInteger(using: &generator)) / 100
    default:
      let value = Double(bitPattern: generator.next())
      return value.isFinite ? value : 0.5
    }
  }

  static func randomText(allowingNUL: Bool, using generator: inout SeededGenerator) -> String {
    let odd: [Unicode.Scalar] = [
      "\"", "\\", "/", "\n", "\t", "\r", "\u{1}", "\u{1f}", "\u{7f}", "\u{80}", "é", "e", "\u{301}",
      "\u{2028}", "\u{feff}", "\u{fffd}", "\u{ffff}", "😀", "\u{10ffff}",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...Int.random(in: 0...90, using: &generator), using: &generator) {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: text.append(odd.randomElement(using: &generator) ?? "x")
      case 1 where allowingNUL: text.append("\0")
      default: text.append(Unicode.Scalar(UInt8.random(in: 0x20..<0x7f, using: &generator)))
      }
    }
    return String(text)
  }
}

extension Array where Element == UInt8 {
  /// The same bytes with some of them changed, dropped, repeated or inserted.
  func damaged(using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = self
    for _ in 0...Int.random(in: 0...3, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let tokens: [[UInt8]] = [
        "{", "}", "[", "]", "\"", "\\", ",", ":", "0", "-", "e9999", "\0", "\\u0000", "\\ud800",
      ]
      .map { Array($0.utf8) }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1 where place < bytes.count: bytes.remove(at: place)
      case 2: bytes.removeSubrange(place...)
      case 3: bytes.insert(contentsOf: bytes.suffix(from: place), at: place)
      default: bytes.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: place)
      }
    }
    return bytes
  }
}
