public import FoundationEssentials

/// The bytes of one commit, in a form that the log does not know.
public typealias CommitBytes = [UInt8]

/// Commits that are appended together: one message, one entry, one fsync.
public struct Batch: Hashable, Sendable {
  /// Who writes: a new one at each start of a process.
  public var writer: UUID
  /// Counts the batches of this writer, from 1, without gaps.
  ///
  /// The same (writer, n) is applied once, however often it is appended.
  public var n: UInt64
  /// The writer's clock, in milliseconds since 1970.
  ///
  /// It may go back. Log time, which does not, is the highest `time` up to an entry.
  public var time: Int64
  /// The form of the commits' bytes; who does not know it stops before the entry.
  public var format: UInt16
  /// The commits, in order.
  public var commits: [CommitBytes]

  /// Makes a batch.
  public init(writer: UUID, n: UInt64, time: Int64, format: UInt16, commits: [CommitBytes]) {
    self.writer = writer
    self.n = n
    self.time = time
    self.format = format
    self.commits = commits
  }
}

/// A batch at its place in a log.
public struct Entry: Hashable, Sendable {
  /// Where it stands.
  public var place: Place
  /// The hash over everything up to and with this entry (docs/LOG.md, "Chain").
  public var chain: Hash
  /// What was appended.
  public var batch: Batch

  /// Makes an entry.
  public init(place: Place, chain: Hash, batch: Batch) {
    self.place = place
    self.chain = chain
    self.batch = batch
  }
}
