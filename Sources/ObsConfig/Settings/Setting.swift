internal import ObsCommandLine

/// One thing that can be set: its names, its values, and what it is for.
///
/// The same row drives the configuration file, the environment, the flags, `--help`, the sample file and the
/// reference in docs/CONFIGURATION.md.
public struct Setting: Sendable {
  /// Its name in the configuration file, such as `server.port`: the part before the dot is its group.
  public let key: String
  /// What values it takes.
  public let kind: SettingKind
  /// Its flag, such as `--port`.
  public let flag: String
  /// What it is for, in one line.
  public let help: String
  /// What the default is where it depends on the machine; else nil.
  private let statedDefault: SettingValue?
  private let get: @Sendable (Configuration) -> SettingValue?
  private let set: @Sendable (inout Configuration, SettingValue) -> Void

  init(
    _ key: String,
    _ kind: SettingKind,
    flag: String?,
    default statedDefault: SettingValue? = nil,
    help: String,
    get: @escaping @Sendable (Configuration) -> SettingValue?,
    set: @escaping @Sendable (inout Configuration, SettingValue) -> Void
  ) {
    self.key = key
    self.kind = kind
    self.flag = flag ?? "--" + Self.words(of: key).joined(separator: "-")
    self.help = help
    self.statedDefault = statedDefault
    self.get = get
    self.set = set
  }

  /// Its variable in the environment, such as `OBS_SERVER_PORT`.
  public var variable: String {
    "OBS_" + Self.words(of: key).joined(separator: "_").uppercased()
  }

  /// The part of the key before the dot; nil for a key without.
  public var group: String? {
    key.firstIndex(of: ".").map { String(key[..<$0]) }
  }

  /// The part of the key behind the dot.
  public var name: String {
    key.firstIndex(of: ".").map { String(key[key.index(after: $0)...]) } ?? key
  }

  /// The default on every machine; nil where there is none.
  public var defaultText: String? {
    (statedDefault ?? get(Configuration())).map { kind.text(of: $0) }
  }

  /// The value in a configuration; nil where there is none.
  public func value(in configuration: Configuration) -> SettingValue? { get(configuration) }

  /// The value in a configuration as it is written; nil where there is none.
  public func text(in configuration: Configuration) -> String? {
    get(configuration).map { kind.text(of: $0) }
  }

  func apply(_ value: SettingValue, to configuration: inout Configuration) {
    set(&configuration, value)
  }

  /// What is wrong with a value.
  func complaint(about text: String) -> String {
    "`\(key)` must be \(kind.expectation), not `\(text)`\(hint(about: text))"
  }

  private func hint(about text: String) -> String {
    switch kind {
    case .time where Int(text) != nil: "; add a unit, as in \(text)s"
    case .toggle where ["yes", "on", "1", "True", "TRUE"].contains(text): "; write true"
    case .toggle where ["no", "off", "0", "False", "FALSE"].contains(text): "; write false"
    case .choice(let words):
      Suggestion.nearest(to: text, among: words).map { "; did you mean `\($0)`?" } ?? ""
    default: ""
    }
  }

  /// `limits.messageBytes` is `limits`, `message`, `bytes`.
  private static func words(of key: String) -> [String] {
    var words = [""]
    for letter in key {
      if letter == "." || letter.isUppercase { words.append("") }
      if letter != "." { words[words.count - 1] += letter.lowercased() }
    }
    return words
  }
}
