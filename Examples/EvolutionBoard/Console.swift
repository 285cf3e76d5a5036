import Foundation

/// Where text goes: whole pieces at a time, written at once.
enum Console {
  /// Whether standard output is a terminal that can move its cursor.
  static var isTerminal: Bool {
    isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// How to call obsctl from here, which is built beside this program.
  static var obsctl: String {
    let path = String(CommandLine.arguments[0].reversed().drop { $0 != "/" }.reversed()) + "obsctl"
    return FileManager.default.isExecutableFile(atPath: path) ? path : "obsctl"
  }

  static func write(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }

  static func line(_ text: String) { write(text + "\n") }

  /// Says what went wrong.
  static func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("evolution-board: \(text)\n".utf8))
  }
}
