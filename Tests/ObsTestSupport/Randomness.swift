import Foundation

/// Numbers that look random and come again with the same seed.
public struct SeededGenerator: RandomNumberGenerator {
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

/// Runs a test with random input; prints the seed, and takes it from `OBS_SEED` to repeat a failure.
public func withSeed(
  _ name: String = #function,
  _ body: (inout SeededGenerator) throws -> Void
) throws {
  let given = ProcessInfo.processInfo.environment["OBS_SEED"].flatMap(UInt64.init)
  let seed = given ?? .random(in: 0...UInt64(Int64.max))
  print("\(name): OBS_SEED=\(seed)")
  var generator = SeededGenerator(seed: seed)
  try body(&generator)
}
