internal import ObsCommandLine

/// Shows the queries and their values on a terminal, and draws them again when a value changes.
///
/// A query and its value share a line while the queries are short; else the value stands below, indented.
struct Board {
  /// Longer names leave no room for values beside them.
  private static let widest = 40

  private let names: [String]
  private let isStyled: Bool
  private var values: [String]
  private var isDrawn = false

  init(_ names: [String], isStyled: Bool) {
    self.names = names.map(\.printable)
    self.isStyled = isStyled
    values = names.map { _ in "…" }
  }

  /// The text that brings the terminal up to date.
  mutating func show(_ value: String, at index: Int) -> String {
    values[index] = value.printable.split(separator: "\n").joined(separator: " ")
    let lines = lines
    // Lines are cut by the terminal itself (no wrapping), so nobody has to know how wide it is.
    let up = isDrawn ? "\u{1b}[\(lines.count)A" : ""
    isDrawn = true
    return up + "\u{1b}[?7l" + lines.map { "\r\u{1b}[2K\($0)\n" }.joined() + "\u{1b}[?7h"
  }

  private var lines: [String] {
    let width = names.map(\.count).max() ?? 0
    return zip(names, values).flatMap { name, value in
      guard width > Self.widest else {
        return [faint(name) + String(repeating: " ", count: width - name.count) + "  " + value]
      }
      return [faint(name), "  " + value]
    }
  }

  private func faint(_ text: String) -> String {
    isStyled ? "\u{1b}[2m\(text)\u{1b}[0m" : text
  }
}
