internal import ObsCommandLine

/// Shows one line a query on a terminal, and draws it again when the value changes.
struct Board {
  /// Longer names leave no room for values.
  private static let widest = 60

  private let names: [String]
  private var values: [String]
  private var isDrawn = false

  init(_ names: [String]) {
    self.names = names.map { name in
      name.count > Self.widest ? "\(name.prefix(Self.widest - 1))…".printable : name.printable
    }
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
      let line = value.printable.split(separator: "\n").joined(separator: " ")
      text += "\r\u{1b}[2K\(name)\(padding)  \(line)\n"
    }
    isDrawn = true
    return text + "\u{1b}[?7h"
  }
}
