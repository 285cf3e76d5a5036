/// Reads and writes RFC 3339 time stamps, `2026-02-03T04:05:06.789Z`, of the years 1 to 9999.
///
/// Foundation's own format takes 30 February and text behind the end, and cuts 0.789 to 0.788.
enum Timestamp {
  /// Milliseconds since 1970 that have a time stamp.
  static let range: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000

  /// The text of a moment in `range`, in UTC and with three digits of fraction, so that text order is time order.
  static func text(milliseconds: Int64) -> String {
    let (days, inDay) = divide(milliseconds, 86_400_000)
    let (year, month, day) = civil(days)
    let (seconds, thousandths) = divide(inDay, 1000)
    let (minutes, second) = divide(seconds, 60)
    let (hour, minute) = divide(minutes, 60)
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
      + "T\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2)).\(digits(thousandths, 3))Z"
  }

  /// Seconds since 1970, or nil for what is no time stamp; any fraction and offset are read.
  static func seconds(_ text: String) -> Double? {
    let pattern =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))/
    guard text.utf8.count <= 64, let match = text.wholeMatch(of: pattern)?.output,
      let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
      let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days = daysSince1970(year: year, month: month, day: day)
    // A day that does not exist comes back as another one.
    guard year > 0, (1...12).contains(month), civil(days) == (year, month, day) else { return nil }
    var offset: Int64 = 0
    if let sign = match.8, let hours = match.9.flatMap({ Int64($0) }),
      let minutes = match.10.flatMap({ Int64($0) })
    {
      guard hours < 24, minutes < 60 else { return nil }
      offset = (sign == "-" ? -1 : 1) * (hours * 60 + minutes)
    }
    let whole = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    guard let fraction = match.7, !fraction.isEmpty else { return Double(whole) }
    // At most 15 digits: exact as an integer, and far below what a Double can tell apart.
    let leading = fraction.prefix(15)
    guard let numerator = Int64(leading) else { return nil }
    let denominator = (0..<leading.count).reduce(Int64(1)) { power, _ in power * 10 }
    if leading.count <= 3 {
      return Double(whole * denominator + numerator) / Double(denominator)
    }
    return Double(whole) + Double(numerator) / Double(denominator)
  }

  // The civil calendar by Howard Hinnant's public-domain formulas: years start in March, eras have 400 years.

  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = divide(month > 2 ? year : year - 1, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = divide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400
    return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
  }

  /// Quotient and remainder, rounded down: the remainder is never negative.
  private static func divide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func digits(_ value: Int64, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
