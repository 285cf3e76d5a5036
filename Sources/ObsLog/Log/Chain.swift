public import FoundationEssentials

/// The canonical bytes of an entry, and the running hash over them (docs/LOG.md, "Chain").
///
/// The same for every engine, so that a log can be copied from one to another and stay what it is.
public enum Chain {
  /// The hash before the first entry of a log: it ties all others to the log's id.
  public static func genesis(log: UUID) -> Hash {
    Hash.of(Array("obs log 1\n".utf8) + bytes(log))
  }

  /// The hash after a batch.
  public static func next(_ previous: Hash, _ batch: Batch) -> Hash {
    next(previous, batch, body: body(batch))
  }

  static func next(_ previous: Hash, _ batch: Batch, body: [UInt8]) -> Hash {
    var head: [UInt8] = []
    head.reserveCapacity(Hash.count + 34)
    head += previous.bytes
    head += bytes(batch.writer)
    head.append(integer: batch.n)
    head.append(integer: batch.time)
    head.append(integer: batch.format)
    let hasher = SHA256()
    hasher.update(head)
    hasher.update(body)
    return hasher.finish()
  }

  /// The commits of a batch as bytes: their number, then each with its length before it (4 bytes, highest first).
  static func body(_ batch: Batch) -> [UInt8] {
    var body: [UInt8] = []
    body.reserveCapacity(bodyCount(batch))
    body.append(integer: UInt32(batch.commits.count))
    for commit in batch.commits {
      body.append(integer: UInt32(commit.count))
      body += commit
    }
    return body
  }

  /// The number of bytes of ``body(_:)``: what counts against ``LogInfo/largestMessage``.
  public static func bodyCount(_ batch: Batch) -> Int {
    batch.commits.reduce(4) { total, commit in total + 4 + commit.count }
  }

  /// Reads what ``body(_:)`` wrote; nil when it is nothing that it writes.
  static func commits(body: [UInt8]) -> [CommitBytes]? {
    var reader = ByteReader(body)
    guard let count = reader.integer(UInt32.self), Int(count) <= reader.remaining / 4 else {
      return nil
    }
    var commits: [CommitBytes] = []
    commits.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let length = reader.integer(UInt32.self), let commit = reader.run(Int(length)) else {
        return nil
      }
      commits.append(commit)
    }
    return reader.remaining == 0 ? commits : nil
  }

  /// The 16 bytes of a UUID.
  static func bytes(_ id: UUID) -> [UInt8] {
    let u = id.uuid
    return [
      u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
    ]
  }

  /// Reads a UUID from its 16 bytes.
  static func id(_ b: [UInt8]) -> UUID? {
    guard b.count == 16 else { return nil }
    return UUID(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
        b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      )
    )
  }
}
