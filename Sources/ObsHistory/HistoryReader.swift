public import Foundation
internal import ObsCommandLine
internal import ObsWire

/// Reads a history, one transaction a line (NDJSON), as far as it is asked to.
///
/// Only the chunk at hand is in memory, so a file of any size and a pipe can be read. Empty lines are skipped. A copy
/// of a reader reads on in the same file: use one.
public struct HistoryReader: Sendable {
  /// Gives the next bytes; none at the end.
  public typealias Source = @Sendable () throws -> Data

  /// The longest line that is accepted, in bytes.
  public static let maximumLineBytes = 16 << 20

  private let name: String
  private let read: Source
  /// What was read and not yet given out begins at `start`.
  private var buffer: [UInt8] = []
  private var start = 0
  private var line = 0
  private var isAtEnd = false

  /// Reads from a file.
  ///
  /// - Throws: ``HistoryError`` when it cannot be opened.
  public init(path: String) throws(HistoryError) {
    let handle: FileHandle
    do { handle = try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
      throw HistoryError(file: path, message: "cannot be read: \(FileProblem.reason(error))")
    }
    self.init(name: path) { try handle.read(upToCount: 256 * 1024) ?? Data() }
  }

  /// Reads from anything, such as a pipe; errors call it by that name.
  public init(name: String, from read: @escaping Source) {
    (self.name, self.read) = (name, read)
  }

  /// The next transaction; nil at the end.
  ///
  /// - Throws: ``HistoryError`` with the place of a line that is no transaction; the next call goes on behind it.
  public mutating func next() throws(HistoryError) -> Transaction? {
    while let bytes = try nextLine() {
      guard bytes.contains(where: { !" \t\r".utf8.contains($0) }) else { continue }
      return try transaction(bytes)
    }
    return nil
  }

  private mutating func nextLine() throws(HistoryError) -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        line += 1
        return Array(buffer[start..<end])
      }
      guard !isAtEnd else {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        line += 1
        return Array(buffer[start...])
      }
      guard buffer.count - start <= Self.maximumLineBytes else {
        isAtEnd = true
        start = buffer.count
        throw problem("the line is longer than \(Self.maximumLineBytes) bytes", line: line + 1)
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      do {
        let chunk = try read()
        isAtEnd = chunk.isEmpty
        buffer += chunk
      } catch { throw problem("cannot be read: \(FileProblem.reason(error))", line: nil) }
    }
  }

  private func transaction(_ bytes: [UInt8]) throws(HistoryError) -> Transaction {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: bytes, limits: .unlimited) } catch {
      throw problem(error.message, line: line, column: error.column)
    }
    guard let members = json.objectValue else {
      throw problem("a transaction is an object, such as {\"at\": …, \"ops\": […]}", line: line)
    }
    let at = members["at"]
    guard at?.stringValue != nil || at?.isNull ?? true else {
      throw problem("`at` must be text, a time", line: line)
    }
    guard let operations = members["ops"]?.arrayValue else {
      throw problem("`ops` must be there, an array of JSON Patch operations", line: line)
    }
    for (index, operation) in operations.enumerated()
    where operation["op"]?.stringValue == nil || operation["path"]?.stringValue == nil {
      throw problem("`ops[\(index)]` must be an object with the texts `op` and `path`", line: line)
    }
    return Transaction(at: at?.stringValue, operations: operations, line: line)
  }

  private func problem(_ message: String, line: Int?, column: Int? = nil) -> HistoryError {
    HistoryError(file: name, line: line, column: column, message: message)
  }
}
