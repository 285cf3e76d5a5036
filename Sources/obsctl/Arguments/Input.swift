internal import Dispatch
internal import Foundation
internal import ObsWire

/// What a command reads: a file, or standard input where the name is `-`.
struct Input: Equatable, Sendable {
  var path: String

  /// How it is called in errors.
  var name: String { path == "-" ? "standard input" : path }

  /// Reads all of it.
  ///
  /// - Throws: ``Complaint`` with code 66; `CancellationError` when the task is cancelled, as by Ctrl-C, while nothing
  ///   comes.
  func bytes() async throws -> [UInt8] {
    // A thread of its own: reading standard input may take for ever, and the shared pool is not for that.
    let (stream, continuation) = AsyncStream.makeStream(of: Result<[UInt8], any Error>.self)
    let path = path
    Thread.detachNewThread {
      continuation.yield(
        Result {
          let file =
            path == "-"
            ? FileHandle.standardInput
            : try FileHandle(forReadingFrom: URL(filePath: path))
          return Array(try file.readToEnd() ?? Data())
        }
      )
    }
    for await result in stream {
      do { return try result.get() } catch { throw complaint(error) }
    }
    throw CancellationError()
  }

  /// Reads all of it as one JSON value.
  ///
  /// - Throws: ``Complaint`` with the file's name, and with line and column where it is no JSON.
  func json() async throws -> JSON {
    let bytes = try await bytes()
    do throws(JSONError) {
      return try JSON(parsing: bytes, limits: .unlimited)
    } catch {
      throw Complaint(error, in: name)
    }
  }

  /// Reads it line by line, standard input as it comes.
  func lines() async throws -> InputLines {
    path == "-" ? InputLines() : InputLines(String(decoding: try await bytes(), as: UTF8.self))
  }

  private func complaint(_ error: any Error) -> Complaint {
    let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
    let reason = isMissing ? "there is no such file" : error.localizedDescription
    return Complaint("cannot read \(name): \(reason)", .noInput)
  }
}

/// The lines of a text, or of standard input as they come.
struct InputLines {
  private enum Source {
    case text(IndexingIterator<[Substring]>)
    case input(AsyncStream<String>.Iterator, DispatchSemaphore)
  }

  private var source: Source

  init(_ text: String) {
    source = .text(text.split(separator: "\n", omittingEmptySubsequences: false).makeIterator())
  }

  /// Standard input.
  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    // So many lines are read before they are wanted. A semaphore may not go away below the value that it began with.
    let room = DispatchSemaphore(value: 0)
    for _ in 1...256 { room.signal() }
    Thread.detachNewThread {
      while let line = readLine() {
        room.wait()
        continuation.yield(line)
      }
      continuation.finish()
    }
    source = .input(stream.makeAsyncIterator(), room)
  }

  /// The next line without its end; nil after the last one, and when the task is cancelled.
  mutating func next() async -> String? {
    switch source {
    case .text(var rest):
      defer { source = .text(rest) }
      return rest.next().map(String.init)
    case .input(var lines, let room):
      let line = await lines.next(isolation: #isolation)
      source = .input(lines, room)
      room.signal()
      return line
    }
  }
}
