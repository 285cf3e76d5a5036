/// Numbers as they are written in configuration.
enum NumberText {
  /// A decimal integer without spaces or separators; nil outside the range.
  static func whole(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard text.first != "+", let number = Int(text), range.contains(number) else { return nil }
    return number
  }

  /// A decimal number, with or without fraction and exponent; nil outside the range.
  static func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || ".-e".contains($0)) }),
      let number = Double(text), range.contains(number)
    else { return nil }
    return number
  }

  /// The shortest text, without `.0`.
  static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// Splits `10s` into 10 and `s`; the number has digits only.
  static func withUnit(_ text: String) -> (number: Int, unit: String)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits) else { return nil }
    return (number, text[digits.endIndex...].drop { $0 == " " }.description)
  }
}

/// Sizes in bytes: `4096`, `256KiB`, `1MB`.
enum Size {
  /// The units, largest first; those of two of the same size that are preferred when written come first.
  private static let units = [
    ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10),
    ("kB", 1000), ("B", 1),
  ]

  static func bytes(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard let (number, unit) = NumberText.withUnit(text),
      let factor = unit.isEmpty ? 1 : units.first(where: { $0.0 == unit })?.1
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    return !overflow && range.contains(bytes) ? bytes : nil
  }

  /// In the largest unit that leaves a whole number.
  static func text(_ bytes: Int) -> String {
    guard bytes > 0, let (unit, factor) = units.first(where: { bytes % $0.1 == 0 }), factor > 1
    else { return "\(bytes)" }
    return "\(bytes / factor)\(unit)"
  }
}

/// Times: `500ms`, `10s`, `2m`, `1h`.
enum TimeText {
  /// Milliseconds in each unit, largest first.
  private static let units = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)]

  static func duration(_ text: String, in range: ClosedRange<Duration>) -> Duration? {
    if text == "0" { return range.contains(.zero) ? .zero : nil }
    guard let (number, unit) = NumberText.withUnit(text),
      let factor = units.first(where: { $0.0 == unit })?.1
    else { return nil }
    let (milliseconds, overflow) = number.multipliedReportingOverflow(by: factor)
    let duration = Duration.milliseconds(milliseconds)
    return !overflow && range.contains(duration) ? duration : nil
  }

  /// In the largest unit that leaves a whole number.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    if milliseconds == 0 { return "0s" }
    guard let (unit, factor) = units.first(where: { milliseconds % $0.1 == 0 }) else { return "0s" }
    return "\(milliseconds / factor)\(unit)"
  }
}
