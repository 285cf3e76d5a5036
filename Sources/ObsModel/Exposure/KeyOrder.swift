internal import ObsWire

/// Sorts keys by their bytes.
enum KeyOrder {
  /// Compares the first eight bytes as one number, and whole keys only where those are equal.
  static func sorted(_ keys: [String]) -> [String] {
    var order: [(beginning: UInt64, place: Int)] = []
    order.reserveCapacity(keys.count)
    for place in keys.indices { order.append((beginning(of: keys[place]), place)) }
    order.sort {
      $0.beginning == $1.beginning
        ? UTF8Order.precedes(keys[$0.place], keys[$1.place]) : $0.beginning < $1.beginning
    }
    return order.map { keys[$0.place] }
  }

  private static func beginning(of key: String) -> UInt64 {
    let bytes = key.utf8Span.span
    var beginning: UInt64 = 0
    for index in 0..<8 {
      beginning = beginning << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
    }
    return beginning
  }
}
