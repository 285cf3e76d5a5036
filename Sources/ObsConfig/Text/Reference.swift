/// The table of settings as Markdown, for docs/CONFIGURATION.md.
public enum Reference {
  /// One table for each section.
  public static let markdown = Settings.sections.map { section in
    "### \(section.title)\n\n| key | flag | variable | values | default | |\n| --- | --- | --- | --- | --- | --- |\n"
      + section.settings.map(row).joined()
  }.joined(separator: "\n")

  private static func row(_ setting: Setting) -> String {
    let flag =
      setting.kind.placeholder.isEmpty
      ? setting.flag : "\(setting.flag) \(setting.kind.placeholder)"
    let cells = [
      "`\(setting.key)`", "`\(flag)`", "`\(setting.variable)`", setting.kind.expectation,
      setting.defaultText.map { "`\($0)`" } ?? "not set", setting.help,
    ]
    return "| " + cells.joined(separator: " | ") + " |\n"
  }
}
