/// The entries of a log after a place, in order, for ever.
///
/// Pulled, so nothing piles up when the reader is slow. Each element is one or more entries, about 1 MiB at most
/// (a larger entry comes alone). One task reads it.
public struct Entries: AsyncSequence, Sendable {
  /// Fetches the next entries, waits when there are none, and answers nil when there will be none.
  public typealias Source = @Sendable () async throws(LogError) -> [Entry]?

  private let source: Source

  /// Makes a sequence from what an engine does.
  public init(_ source: @escaping Source) { self.source = source }

  /// Reads one sequence.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: Source

    /// The next entries; nil when the log was closed or the task cancelled.
    public mutating func next() async throws(LogError) -> [Entry]? { try await source() }

    /// The next entries; nil when the log was closed or the task cancelled.
    public mutating func next(
      isolation: isolated (any Actor)?
    ) async throws(LogError) -> [Entry]? { try await source() }
  }

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }
}
