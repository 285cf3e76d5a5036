/// A piece of a line, in one style.
struct Span: Sendable {
  /// The styles that the demo uses, as numbers of ECMA-48's SGR.
  enum Style: String, Sendable {
    case plain = "0"
    case strong = "1"
    case faint = "2"
    case accent = "36"
    case good = "32"
    case bad = "31"
  }

  let text: String
  let style: Style

  init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// A terminal of at least 80 columns and 24 lines, drawn in place; a smaller one shows the beginning and the last line.
///
/// Every picture is one write, marked as one update; lines are overwritten rather than erased, so
/// nothing flickers. The alternate screen keeps what was there before.
struct Screen: Sendable {
  static let columns = 80
  static let lines = 24

  /// Whether styles are wanted (no-color.org).
  let isStyled: Bool

  func open() { Console.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J") }

  func close() { Console.write("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l") }

  func draw(_ picture: [[Span]]) {
    // Each line goes to its place, and the terminal takes the last one for all below it: nothing scrolls away.
    let lines = picture.prefix(Screen.lines).enumerated().map { index, line in
      "\u{1b}[\(index + 1)H" + text(of: line) + "\u{1b}[K"
    }
    Console.write("\u{1b}[?2026h" + lines.joined() + "\u{1b}[J\u{1b}[?2026l")
  }

  private func text(of line: [Span]) -> String {
    var room = Screen.columns
    var text = ""
    for span in line where room > 0 {
      let part = span.text.fitted(to: room)
      room -= part.count
      let isPlain = !isStyled || span.style == .plain
      text += isPlain ? part : "\u{1b}[\(span.style.rawValue)m\(part)\u{1b}[0m"
    }
    return text
  }
}

extension String {
  /// The text with spaces behind it, or before it, up to a width; longer text stays as it is.
  func padded(to width: Int, atFront: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - count))
    return atFront ? spaces + self : self + spaces
  }

  /// The text, cut with `…` where it is longer than a width.
  func fitted(to width: Int) -> String {
    count <= width ? self : String(prefix(max(0, width - 1))) + "…"
  }
}
