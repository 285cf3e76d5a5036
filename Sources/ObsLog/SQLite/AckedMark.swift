import FoundationEssentials

/// Remembers what was acknowledged last, outside the database: the file `acked`.
///
/// Written after each append and never waited for, so after a loss of power it may be old, but never ahead of what is
/// durable. A database that ends before it has lost entries: a torn or cut write-ahead log, an old copy put back.
final class AckedMark {
  struct Value: Equatable {
    var log: UUID
    var place: Place
    var chain: Hash
  }

  private static let count = 16 + 8 + Hash.count + Hash.count
  private let file: SystemFile

  init(_ directory: String) throws(LogError) { file = try SystemFile(directory + "/acked") }

  /// What was noted; nil when there is nothing, or nothing whole.
  func read() -> Value? {
    let bytes = file.read(AckedMark.count)
    let content = Array(bytes.prefix(AckedMark.count - Hash.count))
    guard bytes.count == AckedMark.count,
      Hash(bytes: Array(bytes.suffix(Hash.count))) == Hash.of(content)
    else { return nil }
    var reader = ByteReader(content)
    guard let log = reader.run(16).flatMap(Chain.id), let place = reader.integer(UInt64.self),
      let chain = reader.run(Hash.count).flatMap(Hash.init(bytes:))
    else { return nil }
    return Value(log: log, place: Place(place), chain: chain)
  }

  func write(_ value: Value) {
    var bytes = Chain.bytes(value.log)
    bytes.append(integer: value.place.message)
    bytes += value.chain.bytes
    bytes += Hash.of(bytes).bytes
    file.write(bytes)
  }
}
