/// The number of a connection: unique for the life of its loop, so a late job never meets a successor.
public struct ConnectionID: Hashable, Sendable {
  /// Generation in the upper half, place in the table plus one in the lower half.
  ///
  /// Never zero.
  public let rawValue: UInt64

  /// Makes an id from its number, for tests and for callers that store it.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  init(index: Int, generation: UInt32) {
    rawValue = UInt64(generation) << 32 | UInt64(index + 1)
  }

  init?(_ pointer: UnsafeMutableRawPointer?) {
    guard let pointer = unsafe pointer else { return nil }
    rawValue = UInt64(UInt(bitPattern: pointer))
  }

  /// The number in the shape in which libwebsockets carries it; nothing is behind this address.
  var pointer: UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: UInt(rawValue))
  }

  var index: Int { Int(rawValue & 0xffff_ffff) - 1 }
  var generation: UInt32 { UInt32(rawValue >> 32) }
}

/// All connections of a loop, found by number in constant time.
struct ConnectionTable {
  private var slots: [Connection?] = []
  private var generations: [UInt32] = []
  private var free: [Int] = []
  private(set) var count = 0
  /// The connection whose socket is being adopted: the library makes its first callbacks before it could be told the number.
  var adopting: ConnectionID?

  var isEmpty: Bool { count == 0 }

  /// Reserves a place, and fills it with what `make` builds for its number.
  mutating func insert<C: Connection>(_ make: (ConnectionID) -> C) -> C {
    let index = free.popLast() ?? slots.count
    if index == slots.count {
      slots.append(nil)
      generations.append(0)
    }
    let connection = make(ConnectionID(index: index, generation: generations[index]))
    slots[index] = connection
    count += 1
    return connection
  }

  subscript(id: ConnectionID) -> Connection? {
    let index = id.index
    guard index >= 0, index < slots.count, generations[index] == id.generation else { return nil }
    return slots[index]
  }

  mutating func remove(_ id: ConnectionID) {
    guard self[id] != nil else { return }
    slots[id.index] = nil
    generations[id.index] &+= 1
    free.append(id.index)
    count -= 1
  }

  /// Visits all connections; `body` may add and remove some.
  func forEach(_ body: (Connection) -> Void) {
    for case let connection? in slots { body(connection) }
  }
}
