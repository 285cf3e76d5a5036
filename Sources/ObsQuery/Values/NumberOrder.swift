/// Compares numbers exactly, integers with doubles too: 2^53 + 1 is greater than 9007199254740992.0.
enum NumberOrder {
  /// Negative when `left` comes first, 0 when they are equal, positive when `right` comes first.
  static func compare(_ left: Int64, _ right: Double) -> Int {
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = right.rounded(.towardZero)
    let integer = Int64(whole)
    if left != integer { return left < integer ? -1 : 1 }
    return right == whole ? 0 : (right > whole ? -1 : 1)
  }

  /// Compares two values when both are numbers; nil for others.
  @inline(__always)
  static func compare(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.int(let left), .int(let right)): left == right ? 0 : (left < right ? -1 : 1)
    case (.double(let left), .double(let right)): left == right ? 0 : (left < right ? -1 : 1)
    case (.int(let left), .double(let right)): compare(left, right)
    case (.double(let left), .int(let right)): -compare(right, left)
    default: nil
    }
  }
}
