import Foundation

/// Numbers that look random and come again with the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  // SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Prints the seed, and takes it from `OBS_SEED` to repeat a failure.
  static func printed(_ name: String = #function) -> Self {
    let given = ProcessInfo.processInfo.environment["OBS_SEED"].flatMap(UInt64.init)
    let seed = given ?? .random(in: 0...UInt64(Int64.max))
    print("\(name): OBS_SEED=\(seed)")
    return Self(seed: seed)
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }
}
