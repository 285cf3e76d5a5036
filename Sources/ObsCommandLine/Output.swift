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
    try? FileHandle.standardError.write(contentsOf: Data("\(program): \(text)\n".utf8))
  }

  /// Whether somebody sees standard output as it comes.
  public var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
