/// Shows one line a query on a terminal, and draws it again when the value changes.
struct Board {
  private let names: [String]
  private var values: [String]
  private var isDrawn = false

  init(_ names: [String]) {
    self.names = names
    values = names.map { _ in "…" }
  }

  /// The text that brings the terminal up to date.
  mutating func show(_ value: String, at index: Int) -> String {
    values[index] = value
    let width = names.map(\.count).max() ?? 0
    // Lines are cut by the terminal itself (no wrapping), so nobody has to know how wide it is.
    var text = isDrawn ? "\u{1b}[\(names.count)A\u{1b}[?7l" : "\u{1b}[?7l"
    for (name, value) in zip(names, values) {
      let padding = String(repeating: " ", count: width - name.count)
      text += "\r\u{1b}[2K\(name)\(padding)  \(Self.printable(value))\n"
    }
    isDrawn = true
    return text + "\u{1b}[?7h"
  }

  /// Values must not speak to the terminal: JSON escapes the control characters below U+0020, these are the others.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { (0x7F...0x9F).contains($0.value) ? "\u{FFFD}" : $0 }
      )
    )
  }
}
