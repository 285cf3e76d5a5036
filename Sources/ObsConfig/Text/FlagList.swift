/// The flags of all settings, for `--help`.
public enum FlagList {
  /// One line a setting, under the headings of the table.
  public static let text = Settings.sections.map { section in
    "  \(section.title)\n" + section.settings.map(line).joined()
  }.joined(separator: "\n")

  private static func line(_ setting: Setting) -> String {
    let flag = "\(setting.flag) \(setting.kind.placeholder)"
    let value = setting.defaultText ?? "-"
    return "    " + padded(flag, 43) + padded(setting.kind == .toggle ? "" : value, 11)
      + setting.help + "\n"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
