import Foundation
import ObsTestSupport

/// Runs `body` with a folder that is gone afterwards.
func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
  try await withDirectory { try await body(URL(filePath: $0, directoryHint: .isDirectory)) }
}

extension URL {
  /// Writes a file into this folder, and gives its path.
  func file(_ name: String, _ text: String) throws -> String {
    let file = appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }
}
