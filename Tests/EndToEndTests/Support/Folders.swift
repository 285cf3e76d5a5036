import Foundation

/// Runs `body` with a folder that is gone afterwards.
func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appending(path: "obs-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let result: Result<Value, any Error>
  do { result = .success(try await body(folder)) } catch { result = .failure(error) }
  try? FileManager.default.removeItem(at: folder)
  return try result.get()
}

extension URL {
  /// Writes a file into this folder, and gives its path.
  func file(_ name: String, _ text: String) throws -> String {
    let file = appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }
}
