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
    aside("obsctl: \(text.printable)\n")
  }

  /// Writes to standard error as it is.
  func aside(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Writes one JSON value, on one line or over several.
  func show(_ value: JSON, as format: Format) throws(ReaderGone) {
    try line(format == .pretty ? value.pretty() : value.description)
  }

  var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }
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

extension String {
  /// The same text without what speaks to the terminal: control characters other than tabs and line ends.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.value {
          case 9, 10, 0x20..<0x7F: scalar
          case 0..<0x20, 0x7F...0x9F: "\u{FFFD}"
          default: scalar
          }
        }
      )
    )
  }
}
