public import Foundation

/// A program that others have written, for tests that want to see ours through its eyes.
public enum Tool {
  /// How a program ended.
  public struct Result: Sendable {
    /// Its exit status.
    public var status: Int32
    /// Its standard output.
    public var output: String
  }

  /// The path of a program, when the machine has it: in one of `folders`, in `PATH`, or where Debian keeps daemons.
  public static func path(_ name: String, in folders: [URL] = []) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // nginx is where Debian does not look for ordinary users.
    let all =
      folders + "\(path):/usr/sbin:/sbin".split(separator: ":").map { URL(filePath: String($0)) }
    return all.lazy.map { $0.appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Runs a program to its end.
  public static func run(_ program: URL, _ arguments: [String]) async throws -> Result {
    try await withProgram(program, arguments) { program in
      let outcome = await program.outcome()
      return Result(
        status: outcome.code,
        output: outcome.lines.map { $0 + "\n" }.joined()
      )
    }
  }
}
