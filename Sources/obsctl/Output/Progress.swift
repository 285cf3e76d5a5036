internal import ObsCommandLine
internal import Foundation

/// How far a long work has come, told on standard error: a bar on a terminal, a line now and then in a pipe.
struct Progress {
  private static let barWidth = 24
  private static let terminalPause = Duration.milliseconds(100)
  private static let pipePause = Duration.seconds(2)

  /// What is counted: `values`, or `bytes`.
  let unit: String
  let total: Int?
  private let output: Output
  private let start = ContinuousClock.now
  private var shown: ContinuousClock.Instant
  private var isDrawn = false

  init(_ unit: String, of total: Int?, _ output: Output) {
    self.unit = unit
    self.total = total
    self.output = output
    shown = start
  }

  /// Tells how much is done, when it is time to.
  mutating func report(_ done: Int) {
    let now = ContinuousClock.now
    let isTerminal = output.isErrorTerminal
    guard now - shown >= (isTerminal ? Self.terminalPause : Self.pipePause) else { return }
    shown = now
    let line = text(done, after: now - start, bar: isTerminal)
    if isTerminal {
      // The terminal cuts the line, so nobody has to know how wide it is.
      output.aside("\u{1b}[?7l\r\u{1b}[2K\(line)\u{1b}[?7h")
      isDrawn = true
    } else {
      output.note(line)
    }
  }

  /// Leaves the terminal in order.
  mutating func finish() {
    if isDrawn { output.aside("\r\u{1b}[2K") }
    isDrawn = false
  }

  /// The line: `████████░░░░  33 %  21,227 of 63,681 values  31,210/s  1.4 s left`.
  func text(_ done: Int, after time: Duration, bar: Bool) -> String {
    let seconds = max(time / .seconds(1), 1e-6)
    let rate = Double(done) / seconds
    guard let total, total > 0 else {
      return "\(amount(done)) \(unit)  \(amount(Int(rate)))/s".trimmed(unit)
    }
    let part = min(Double(done) / Double(total), 1)
    let full = Int(part * Double(Self.barWidth))
    let picture =
      String(repeating: "█", count: full) + String(repeating: "░", count: Self.barWidth - full)
    let left = rate > 0 ? Double(max(total - done, 0)) / rate : .infinity
    let remaining = left.isFinite ? "  \(Self.duration(left)) left" : ""
    return (bar ? picture + "  " : "")
      + ("\(Int(part * 100)) %  \(amount(done)) of \(amount(total)) \(unit)  "
      + "\(amount(Int(rate)))/s").trimmed(unit) + remaining
  }

  private func amount(_ number: Int) -> String {
    unit == "bytes" ? Self.bytes(number) : Self.grouped(number)
  }

  /// `63,681`, the same in every locale.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// An amount with its unit: `12.4 MB`.
  static func bytes(_ number: Int) -> String {
    let units = ["B", "kB", "MB", "GB"]
    var value = Double(number)
    var index = 0
    while value >= 1000, index < units.count - 1 {
      value /= 1000
      index += 1
    }
    return index == 0 ? "\(number) B" : "\(tenths(value)) \(units[index])"
  }

  /// A time in few words: `1.4 s`, `75 s` or `12 min`.
  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<10: "\(tenths(seconds)) s"
    case ..<120: "\(Int(seconds)) s"
    default: "\(Int(seconds / 60)) min"
    }
  }

  private static func tenths(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}

extension String {
  /// Amounts of bytes have their unit already.
  fileprivate func trimmed(_ unit: String) -> String {
    unit == "bytes" ? replacing(" bytes", with: "") : self
  }
}
