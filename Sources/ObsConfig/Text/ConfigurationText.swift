internal import ObsWire

/// Writes configurations as YAML: the sample file, and what is in force.
public enum ConfigurationText {
  /// Every setting at its default, commented out, with what it is for: a file to begin with.
  public static let sample =
    """
    # Configuration of obsd. A line that begins with # and no space shows a default: remove the # to change it.
    # Environment variables win over this file, and flags win over both. docs/CONFIGURATION.md explains it;
    # `obsd check-config --config FILE` says what a file comes to, or everything that is wrong with it.

    """
    + Settings.sections.map { section in
      "\n# --- \(section.title) ---\n"
        + document(section.settings) { setting in
          let indent = setting.group == nil ? "" : "  "
          let value = setting.defaultText.map { written($0, setting.kind) }
          let line = "#\(setting.name): \(value ?? example(of: setting))"
          let state = value == nil ? " Not set." : ""
          let about = sentence(setting.help) + " " + sentence(setting.kind.expectation) + state
          return "\(indent)# \(about)\n\(indent)\(line)\n"
        }
    }.joined()

  /// What is in force, as a file that would say the same, with where each value comes from.
  public static func effective(_ resolution: Resolution) -> String {
    let lines = Settings.all.map { setting -> (Setting, String) in
      let indent = setting.group == nil ? "" : "  "
      guard let text = setting.text(in: resolution.configuration) else {
        return (setting, "\(indent)#\(setting.name):")
      }
      return (setting, "\(indent)\(setting.name): \(written(text, setting.kind))")
    }
    let width = min(lines.map(\.1.count).max() ?? 0, 48)
    let texts = Dictionary(uniqueKeysWithValues: lines.map { ($0.key, $1) })
    return document(Settings.all) { setting in
      let text = texts[setting.key] ?? ""
      let padding = String(repeating: " ", count: max(0, width - text.count))
      return "\(text)\(padding)  # \(resolution.source(of: setting))\n"
    }
  }

  /// Puts each group under its heading; settings without one stand alone.
  private static func document(_ settings: [Setting], _ line: (Setting) -> String) -> String {
    var text = ""
    var group: String?
    for setting in settings {
      if let next = setting.group, next != group { text += "\(next):\n" }
      group = setting.group
      text += line(setting)
    }
    return text
  }

  /// A value as YAML; in quotes where it would be something else without.
  static func written(_ text: String, _ kind: SettingKind) -> String {
    switch kind {
    case .origins:
      "[" + text.split(separator: ",").map { quoted(String($0)) }.joined(separator: ", ") + "]"
    case .text, .file, .urlPath: isSafe(text) ? text : quoted(text)
    default: text
    }
  }

  private static func isSafe(_ text: String) -> Bool {
    let isName = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._-:".contains($0))
    }
    return isName && !text.hasPrefix("-") && !text.hasSuffix(":")
      && text.contains { $0.isLetter || $0 == "/" || $0 == ":" || $0 == "." }
      && Double(text) == nil && !["true", "false", "null"].contains(text.lowercased())
  }

  /// JSON's strings are strings of YAML.
  private static func quoted(_ text: String) -> String { JSON.string(text).description }

  private static func example(of setting: Setting) -> String {
    switch setting.kind {
    case .file: "/etc/obs/\(setting.name).\(setting.group == "tls" ? "pem" : "json")"
    case .origins: "[\"https://app.example.org\"]"
    default: "example"
    }
  }

  static func sentence(_ help: String) -> String {
    help.prefix(1).uppercased() + help.dropFirst() + "."
  }
}
