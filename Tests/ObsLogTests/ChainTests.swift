import Foundation
import Testing

@testable import ObsLog

@Suite(.timeLimit(.minutes(1)))
struct ChainTests {
  private let log = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

  /// Computed with other tools from the definition in docs/LOG.md.
  @Test func chainHasTheHashesOfItsDefinition() {
    let genesis = Chain.genesis(log: log)
    #expect("\(genesis)" == "83dacbea5949b34087a02b53bd37f4a16bb5252617c0279babe298b0aa4dfdf4")
    let batch = Batch(
      writer: UUID(uuid: (15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)),
      n: 7,
      time: 1_700_000_000_123,
      format: 258,
      commits: [Array("abc".utf8), [], [255]]
    )
    #expect(
      "\(Chain.next(genesis, batch))"
        == "eb58cb65bfebba10e57b06bad169d50e63b78d714def3ceeeef29c6529b26831"
    )
  }

  @Test func bodyOfABatchReadsBack() {
    let commits: [CommitBytes] = [[1, 2, 3], [], Array(repeating: 9, count: 70_000)]
    let batch = Batch(writer: log, n: 1, time: 0, format: 0, commits: commits)
    let body = Chain.body(batch)
    #expect(body.count == Chain.bodyCount(batch))
    #expect(Chain.commits(body: body) == commits)
  }

  @Test func bytesThatAreNoBodyAreRefused() {
    let body = Chain.body(Batch(writer: log, n: 1, time: 0, format: 0, commits: [[1, 2], [3]]))
    for count in 0..<body.count { #expect(Chain.commits(body: Array(body.prefix(count))) == nil) }
    #expect(Chain.commits(body: body + [0]) == nil)
    #expect(Chain.commits(body: [255, 255, 255, 255]) == nil)
    #expect(Chain.commits(body: [0, 0, 0, 1, 255, 255, 255, 255]) == nil)
  }

  @Test func hashReadsBackFromItsBytes() {
    let hash = Hash.of([1, 2, 3])
    #expect(Hash(bytes: hash.bytes) == hash)
    #expect(Hash(bytes: Array(hash.bytes.dropLast())) == nil)
    #expect("\(hash)" == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
  }

  @Test func everyErrorSaysWhatToDo() {
    let errors: [LogError] = [
      .busy(retryAfter: .seconds(1)), .unavailable(retryAfter: .seconds(1), "x"), .doubtful("x"),
      .tooLarge(bytes: 2, limit: 1), .full("x"), .truncated(first: Place(3)),
      .forked(at: Place(3)), .foreign("x"), .newerFormat(found: 2, known: 1, "x"),
      .outOfOrder(expected: 4), .conflict(writer: log, n: 4), .damaged(at: Place(3), "x"),
      .locked(pid: 12, "x"), .readOnly("x"), .io("x"), .failed("x"), .closed,
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(LogError.damaged(at: Place(3), "x").description.contains("at place 3"))
    #expect(LogError.locked(pid: 12, "x").description.contains("process 12"))
    #expect(errors.filter(\.mayBeIn) == [.doubtful("x")])
  }
}
