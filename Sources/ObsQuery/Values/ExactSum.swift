/// Adds numbers exactly; the total is rounded once, so it does not depend on the order.
///
/// Integers alone are added in 128 bits. With doubles among them the sum is one long fixed-point number that holds every
/// finite double: bit 0 is worth 2^-1074.
struct ExactSum {
  private(set) var count = 0
  private var integers: Int128 = 0
  private var hasDoubles = false
  /// Two's complement, lowest limb first; empty as long as there are no doubles.
  private var limbs: [UInt64] = []

  /// 1,074 bits below the point, 1,024 above, and room for 2^62 numbers and the sign.
  private static let limbCount = 35
  private static let fractionBits = 1074

  mutating func add(_ value: Int64) {
    count += 1
    integers += Int128(value)
  }

  mutating func add(_ value: Double) {
    count += 1
    hasDoubles = true
    guard value != 0 else { return }
    if limbs.isEmpty { limbs = Array(repeating: 0, count: Self.limbCount) }
    let isSubnormal = value.exponentBitPattern == 0
    let significand = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    add(
      significand,
      shiftedBy: isSubnormal ? 0 : Int(value.exponentBitPattern) - 1,
      isNegative: value < 0
    )
  }

  private mutating func add(_ magnitude: UInt64, shiftedBy bits: Int, isNegative: Bool) {
    let limb = bits / 64
    let shift = bits % 64
    let low = magnitude << shift
    let high = shift == 0 ? 0 : magnitude >> (64 - shift)
    if isNegative { subtract(low, high, at: limb) } else { add(low, high, at: limb) }
  }

  private mutating func add(_ low: UInt64, _ high: UInt64, at limb: Int) {
    var carry = false
    (limbs[limb], carry) = limbs[limb].addingReportingOverflow(low)
    var rest = high + (carry ? 1 : 0)
    var index = limb + 1
    while rest != 0, index < Self.limbCount {
      (limbs[index], carry) = limbs[index].addingReportingOverflow(rest)
      rest = carry ? 1 : 0
      index += 1
    }
  }

  private mutating func subtract(_ low: UInt64, _ high: UInt64, at limb: Int) {
    var borrow = false
    (limbs[limb], borrow) = limbs[limb].subtractingReportingOverflow(low)
    var rest = high + (borrow ? 1 : 0)
    var index = limb + 1
    while rest != 0, index < Self.limbCount {
      (limbs[index], borrow) = limbs[index].subtractingReportingOverflow(rest)
      rest = borrow ? 1 : 0
      index += 1
    }
  }

  /// The sum: an integer if all numbers were; nil when it is out of range.
  var total: Value? {
    if !hasDoubles { return Int64(exactly: integers).map(Value.int) }
    return rounded(dividedBy: 1)
  }

  /// The mean as a double; nil without numbers, or when it is out of range.
  var average: Value? { count == 0 ? nil : rounded(dividedBy: UInt64(count)) }

  private func rounded(dividedBy divisor: UInt64) -> Value? {
    var sum = self
    if sum.limbs.isEmpty { sum.limbs = Array(repeating: 0, count: Self.limbCount) }
    let magnitude = integers.magnitude
    for (index, part) in [UInt64(truncatingIfNeeded: magnitude), UInt64(magnitude >> 64)]
      .enumerated()
    {
      sum.add(part, shiftedBy: Self.fractionBits + 64 * index, isNegative: integers < 0)
    }
    let isNegative = sum.limbs[Self.limbCount - 1] >> 63 == 1
    if isNegative { sum.negate() }
    // One more limb below keeps bits of the quotient for rounding.
    var digits = [0] + sum.limbs
    var rest: UInt64 = 0
    for index in digits.indices.reversed() {
      (digits[index], rest) = divisor.dividingFullWidth((rest, digits[index]))
    }
    let result = Self.double(digits, hasRest: rest != 0)
    guard result.isFinite else { return nil }
    return .double(isNegative ? -result : result)
  }

  private mutating func negate() {
    var carry = true
    for index in limbs.indices {
      let (value, overflow) = (~limbs[index]).addingReportingOverflow(carry ? 1 : 0)
      limbs[index] = value
      carry = overflow
    }
  }

  /// The nearest double of a fixed-point number whose bit 0 is worth 2^-(1074 + 64).
  private static func double(_ digits: [UInt64], hasRest: Bool) -> Double {
    guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    let highest = top * 64 + 63 - digits[top].leadingZeroBitCount
    // The last bit that a double of this size can hold; not below that of the smallest one.
    let lowest = max(highest - 52, 64)
    guard highest >= lowest - 1 else { return 0 }
    var significand: UInt64 = 0
    for bit in stride(from: highest, through: lowest, by: -1) {
      significand = significand << 1 | (digits[bit / 64] >> UInt64(bit % 64)) & 1
    }
    let half = (digits[(lowest - 1) / 64] >> UInt64((lowest - 1) % 64)) & 1 == 1
    if half {
      let below = lowest - 1
      let isMore =
        hasRest || digits[..<(below / 64)].contains { $0 != 0 }
        || digits[below / 64] & ((1 << UInt64(below % 64)) - 1) != 0
      if isMore || significand & 1 == 1 { significand += 1 }
    }
    return Double(
      sign: .plus,
      exponent: lowest - fractionBits - 64,
      significand: Double(significand)
    )
  }
}
