import Foundation

/// Numbers that look random and come again with the same seed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins at a seed.
  public init(seed: UInt64) { state = seed }

  /// The next number (SplitMix64).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// The seed of a random test: from `OBS_SEED`, to repeat a failure, else a new one; printed.
public func testSeed(_ name: String = #function) -> UInt64 {
  let given = ProcessInfo.processInfo.environment["OBS_SEED"].flatMap(UInt64.init)
  let seed = given ?? .random(in: 0...UInt64(Int64.max))
  print("\(name): OBS_SEED=\(seed)")
  return seed
}

/// Runs a test with random input of a ``testSeed(_:)``.
public func withSeed(
  _ name: String = #function,
  _ body: (inout SeededGenerator) throws -> Void
) throws {
  var generator = SeededGenerator(seed: testSeed(name))
  try body(&generator)
}
