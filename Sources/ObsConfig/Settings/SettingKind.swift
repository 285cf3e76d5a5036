/// What values a setting takes, and how they are written.
public enum SettingKind: Sendable, Equatable {
  /// Any text, not empty.
  case text
  /// The path of a file; one that is written in a configuration file begins at that file's folder.
  case file
  /// The path of a URL.
  case urlPath
  /// `true` or `false`.
  case toggle
  /// A whole number.
  case count(ClosedRange<Int>)
  /// A size in bytes, with or without a unit.
  case size(ClosedRange<Int>)
  /// A number.
  case number(ClosedRange<Double>)
  /// A time with its unit.
  case time(ClosedRange<Duration>)
  /// One of several words.
  case choice([String])
  /// Origins of web pages.
  case origins

  /// What is expected, for errors and for reading: `a whole number, 0 to 65535`.
  public var expectation: String {
    switch self {
    case .text: "text"
    case .file: "the path of a file"
    case .urlPath: "a path that begins with `/`"
    case .toggle: "true or false"
    case .count(let range): "a whole number, \(range.lowerBound) to \(range.upperBound)"
    case .size(let range):
      "a size such as 256KiB, \(Size.text(range.lowerBound)) to \(Size.text(range.upperBound))"
    case .number(let range):
      "a number, \(NumberText.text(range.lowerBound)) to \(NumberText.text(range.upperBound))"
    case .time(let range):
      "a time such as 500ms, 10s or 2m, \(TimeText.text(range.lowerBound)) to "
        + TimeText.text(range.upperBound)
    case .choice(let words): "one of " + words.joined(separator: ", ")
    case .origins: "origins such as https://app.example.org"
    }
  }

  /// What stands behind the flag in `--help`; empty for one that stands alone.
  public var placeholder: String {
    switch self {
    case .text: "TEXT"
    case .file: "FILE"
    case .urlPath: "PATH"
    case .toggle: ""
    case .count: "N"
    case .size: "SIZE"
    case .number: "N"
    case .time: "TIME"
    case .choice: "WORD"
    case .origins: "URL"
    }
  }

  /// Reads a value; nil when it is not what is expected.
  func value(of text: String) -> SettingValue? {
    switch self {
    case .text, .file: text.isEmpty ? nil : .text(text)
    case .urlPath:
      text.hasPrefix("/") && !text.contains { " ?#".contains($0) } ? .text(text) : nil
    case .toggle: ["true": .toggle(true), "false": .toggle(false)][text]
    case .count(let range): NumberText.whole(text, in: range).map { .whole($0) }
    case .size(let range): Size.bytes(text, in: range).map { .whole($0) }
    case .number(let range): NumberText.number(text, in: range).map { .number($0) }
    case .time(let range): TimeText.duration(text, in: range).map { .time($0) }
    case .choice(let words): words.contains(text) ? .text(text) : nil
    case .origins:
      origins(text.split(separator: ",").map { String($0.trimmingSpaces) })
    }
  }

  /// Checks the elements of a list; nil when one of them is not what is expected.
  func origins(_ texts: [String]) -> SettingValue? {
    texts.allSatisfy(Self.isOrigin) ? .list(texts) : nil
  }

  /// How a value is written in a file, in the environment and behind a flag.
  func text(of value: SettingValue) -> String {
    switch value {
    case .text(let text): text
    case .toggle(let isOn): "\(isOn)"
    case .whole(let count): if case .size = self { Size.text(count) } else { "\(count)" }
    case .number(let number): NumberText.text(number)
    case .time(let time): TimeText.text(time)
    case .list(let texts): texts.joined(separator: ",")
    }
  }

  /// `scheme://host` or `scheme://host:port`, as a browser sends it.
  static func isOrigin(_ text: String) -> Bool {
    guard let colons = text.firstRange(of: "://") else { return false }
    let scheme = text[..<colons.lowerBound]
    let rest = text[colons.upperBound...]
    return !scheme.isEmpty
      && scheme.allSatisfy { $0.isASCII && ($0.isLetter || "+-.".contains($0)) }
      && !rest.isEmpty && !rest.contains { " /?#,@".contains($0) || !$0.isASCII }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
