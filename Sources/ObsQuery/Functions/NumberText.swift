/// Numbers as JSON spells them, and nothing else.
enum NumberText {
  /// The number; nil for what is no JSON number, or out of range.
  static func value(of text: String) -> Value? {
    let bytes = Array(text.utf8)
    var index = 0
    func byte() -> UInt8? { index < bytes.count ? bytes[index] : nil }
    func digits() -> Int {
      let start = index
      while let byte = byte(), byte &- UInt8(ascii: "0") < 10 { index += 1 }
      return index - start
    }
    if byte() == UInt8(ascii: "-") { index += 1 }
    let leadsWithZero = byte() == UInt8(ascii: "0")
    let whole = digits()
    guard whole == 1 || (whole > 1 && !leadsWithZero) else { return nil }
    var isInteger = true
    if byte() == UInt8(ascii: ".") {
      index += 1
      isInteger = false
      guard digits() > 0 else { return nil }
    }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
      index += 1
      isInteger = false
      if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { index += 1 }
      guard digits() > 0 else { return nil }
    }
    guard index == bytes.count else { return nil }
    if isInteger { return Int64(text).map(Value.int) }
    guard let number = Double(text), number.isFinite else { return nil }
    return .double(number)
  }
}
