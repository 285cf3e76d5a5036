internal import Foundation
internal import ObsWire

/// Where lines go: standard output and standard error, whole lines at a time, written at once.
struct Output: Sendable {
  /// Thrown when nobody reads standard output any more, as in `obsctl … | head -1`.
  struct ReaderGone: Error {}

  func line(_ text: String) throws(ReaderGone) {
    try write(text + "\n")
  }

  func write(_ text: String) throws(ReaderGone) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      throw ReaderGone()
    }
  }

  /// Says something to the person at the terminal; never part of the result.
  func note(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("obsctl: \(text)\n".utf8))
  }

  var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

extension JSON {
  /// JSON over several lines, two spaces a level, empty arrays and objects on one.
  func pretty(indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .array(let items) where !items.isEmpty:
      let lines = items.map { inner + $0.pretty(indent: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { key, value in
        "\(inner)\(JSON.string(key)): \(value.pretty(indent: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    default: return description
    }
  }
}

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
