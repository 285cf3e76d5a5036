import Foundation
import ObsLog

/// What a log should hold, as plainly as it can be said.
struct ReferenceLog {
  let id: UUID
  /// All batches ever; that of place p is at p − 1.
  var batches: [Batch] = []
  /// The hash at each place; the first is that before all.
  var chains: [Hash]
  /// Places up to this one were removed.
  var base = 0
  var snapshots: [UInt64: [UInt8]] = [:]
  /// The last place of each writer that is remembered.
  var lastOfWriter: [UUID: Int] = [:]

  init(id: UUID) {
    self.id = id
    chains = [Chain.genesis(log: id)]
  }

  var last: Int { batches.count }

  mutating func append(_ batch: Batch) {
    batches.append(batch)
    chains.append(Chain.next(chains[chains.count - 1], batch))
    lastOfWriter[batch.writer] = last
  }

  func entry(_ place: Int) -> Entry {
    Entry(place: Place(UInt64(place)), chain: chains[place], batch: batches[place - 1])
  }

  /// What a batch that is in, or was, is answered with.
  func answer(toKnown place: Int) -> Result<Place, LogError> {
    let batch = batches[place - 1]
    return place > base || lastOfWriter[batch.writer] == place
      ? .success(Place(UInt64(place))) : .failure(.truncated(first: Place(UInt64(base + 1))))
  }
}
