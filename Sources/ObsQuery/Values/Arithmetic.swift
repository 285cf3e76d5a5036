/// The operators on numbers: exact on integers, IEEE 754 as soon as a double takes part; nil for what is no number.
enum Arithmetic {
  static func result(_ operation: Syntax.Arithmetic, _ left: Int64, _ right: Int64) -> Value? {
    switch operation {
    case .add: exact(left.addingReportingOverflow(right))
    case .subtract: exact(left.subtractingReportingOverflow(right))
    case .multiply: exact(left.multipliedReportingOverflow(by: right))
    case .divide: right == 0 ? nil : .double(quotient(left, right))
    case .floorDivide: floorDivided(left, right)
    case .modulo: remainder(left, right)
    }
  }

  static func result(_ operation: Syntax.Arithmetic, _ left: Double, _ right: Double) -> Value? {
    let result: Double
    switch operation {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide: result = left / right
    case .floorDivide:
      guard right != 0 else { return nil }
      result = floorQuotient(left, right)
    case .modulo:
      guard right != 0 else { return nil }
      result = floorRemainder(left, right)
    }
    return result.isFinite ? .double(result) : nil
  }

  /// What dividing with a remainder counts: more, the further apart two doubles are.
  static func remainderSteps(_ left: Value, _ right: Value) -> Int {
    func exponent(_ value: Value) -> Int {
      switch value {
      case .int(let number): Int(Double(number).exponentBitPattern)
      case .double(let number): Int(number.exponentBitPattern)
      default: 0
      }
    }
    if case .int = left, case .int = right { return 0 }
    return max(0, exponent(left) - exponent(right)) / 40
  }

  private static func exact(_ result: (partialValue: Int64, overflow: Bool)) -> Value? {
    result.overflow ? nil : .int(result.partialValue)
  }

  private static func floorDivided(_ left: Int64, _ right: Int64) -> Value? {
    let (quotient, overflow) = left.dividedReportingOverflow(by: right)
    guard !overflow else { return nil }
    let isBelow = left % right != 0 && (left < 0) != (right < 0)
    return .int(isBelow ? quotient - 1 : quotient)
  }

  /// With the sign of the divisor.
  private static func remainder(_ left: Int64, _ right: Int64) -> Value? {
    guard right != 0 else { return nil }
    // Int64.min % -1 traps, and is 0.
    let rest = right == -1 ? 0 : left % right
    return .int(rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest)
  }

  /// With the sign of the divisor, also for 0.
  private static func floorRemainder(_ left: Double, _ right: Double) -> Double {
    let rest = left.truncatingRemainder(dividingBy: right)
    if rest == 0 { return Double(signOf: right, magnitudeOf: 0) }
    return (rest < 0) != (right < 0) ? rest + right : rest
  }

  /// The greatest integral double that is not greater than the quotient, without the error of rounding the quotient.
  private static func floorQuotient(_ left: Double, _ right: Double) -> Double {
    let rest = left.truncatingRemainder(dividingBy: right)
    var quotient = (left - rest) / right
    if rest != 0, (rest < 0) != (right < 0) { quotient -= 1 }
    guard quotient != 0 else { return Double(signOf: left / right, magnitudeOf: 0) }
    let floor = quotient.rounded(.down)
    return quotient - floor > 0.5 ? floor + 1 : floor
  }

  /// The quotient of two integers, rounded once.
  static func quotient(_ left: Int64, _ right: Int64) -> Double {
    if left.magnitude <= 1 << 53, right.magnitude <= 1 << 53 {
      return Double(left) / Double(right)
    }
    let shift = left.magnitude.leadingZeroBitCount
    let (whole, rest) = (UInt128(left.magnitude) << (64 + shift))
      .quotientAndRemainder(dividingBy: UInt128(right.magnitude))
    // The lowest of at least 64 bits says that something follows; rounding to 53 sees it.
    let magnitude =
      Double(whole | (rest == 0 ? 0 : 1))
      * Double(sign: .plus, exponent: -64 - shift, significand: 1)
    return (left < 0) != (right < 0) ? -magnitude : magnitude
  }
}
