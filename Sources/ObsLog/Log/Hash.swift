/// A SHA-256 hash: a link of the chain, or what a snapshot is checked by.
public struct Hash: Hashable, Sendable {
  // The 32 bytes as big-endian words, so that a hash needs no memory of its own.
  private var first: UInt64
  private var second: UInt64
  private var third: UInt64
  private var fourth: UInt64

  /// The number of bytes of a hash.
  public static let count = 32

  /// Reads a hash from its 32 bytes; nil when there are more or fewer.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Hash.count else { return nil }
    var reader = ByteReader(bytes)
    guard let first = reader.integer(UInt64.self), let second = reader.integer(UInt64.self),
      let third = reader.integer(UInt64.self), let fourth = reader.integer(UInt64.self)
    else { return nil }
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Hash.count)
    for word in [first, second, third, fourth] { bytes.append(integer: word) }
    return bytes
  }

  /// The hash of some bytes.
  public static func of(_ bytes: [UInt8]) -> Hash {
    let hasher = SHA256()
    hasher.update(bytes)
    return hasher.finish()
  }
}

extension Hash: CustomStringConvertible {
  /// 64 hexadecimal digits.
  public var description: String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
