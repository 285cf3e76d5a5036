internal import Foundation

/// Where lines go: standard output and standard error, whole lines at a time, written at once.
public struct Output: Sendable {
  private let program: String

  /// Names the program, which begins each note.
  public init(program: String) { self.program = program }

  /// Thrown when nobody reads standard output any more, as in `obsctl … | head -1`.
  public struct ReaderGone: Error {}

  /// Writes a line of the result.
  public func line(_ text: String) throws(ReaderGone) {
    try write(text + "\n")
  }

  /// Writes a part of the result.
  public func write(_ text: String) throws(ReaderGone) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      throw ReaderGone()
    }
  }

  /// Says something to the person at the terminal; never part of the result.
  public func note(_ text: String) {
    aside("\(program): \(text.printable)\n")
  }

  /// Writes to standard error as it is.
  public func aside(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Whether somebody sees standard output as it comes.
  public var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether terminals may be sent styles: not when the environment has `NO_COLOR` (no-color.org).
  public var isStyled: Bool {
    ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
  }

  /// Whether somebody sees standard error as it comes.
  public var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

extension String {
  /// The same text without what speaks to the terminal: control characters other than tabs and line ends.
  public var printable: String {
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
