import Foundation

/// Runs a program that others have written, for tests that want to see ours through its eyes.
public enum Tool {
  /// How a program ended.
  public struct Result: Sendable {
    /// Its exit status.
    public var status: Int32
    /// Its standard output.
    public var output: String
  }

  /// The path of a program, when the machine has it.
  public static func path(_ name: String) -> String? {
    ["/usr/bin/", "/usr/local/bin/", "/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program to its end.
  ///
  /// `whileReading` gets the output as it comes.
  public static func run(
    _ path: String,
    _ arguments: [String],
    whileReading: (@Sendable (String) -> Void)? = nil
  ) async throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let pipe = privatePipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    try? pipe.fileHandleForWriting.close()
    let reader = pipe.fileHandleForReading
    let output = await withCheckedContinuation { (done: CheckedContinuation<Data, Never>) in
      Thread.detachNewThread {
        var output = Data()
        while true {
          let piece = reader.availableData
          if piece.isEmpty { break }
          output += piece
          whileReading?(String(decoding: piece, as: UTF8.self))
        }
        done.resume(returning: output)
      }
    }
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: String(decoding: output, as: UTF8.self)
    )
  }
}
