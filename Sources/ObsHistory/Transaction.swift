public import ObsWire

/// Changes that belong together, as one line of a history keeps them.
///
/// ```json
/// {"at": "2015-11-03T16:20:39-08:00", "ops": [{"op": "add", "path": "/proposals/SE-0001", "value": {}}]}
/// ```
public struct Transaction: Sendable, Hashable {
  /// When it happened, as the line says it; nil if it does not.
  public var at: String?
  /// The operations of the JSON Patch; each is an object with `op` and `path`.
  public var operations: [JSON]
  /// The line of the file, from 1.
  public var line: Int
}

/// A history cannot be read: where, and why.
public struct HistoryError: Error, Hashable, CustomStringConvertible {
  /// The name of the file.
  public var file: String
  /// The line, from 1; nil when the file as a whole is the problem.
  public var line: Int?
  /// The column in code points, from 1; nil when the line as a whole is the problem.
  public var column: Int?
  /// What is wrong.
  public var message: String

  /// `file:line:column: message`.
  public var description: String {
    let place = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
    return "\(file)\(place): \(message)"
  }
}
