import ObsWire

/// The data of `budget`.
enum BudgetModel {
  /// The live document: collections, lists, long texts, numbers of every size.
  static var document: JSON {
    [
      "rows": .object(JSON.Object((0..<20_000).map { (key($0), row($0)) })),
      "list": .array((0..<20_000).map(row)),
      "numbers": .array((0..<50_000).map { .int($0 * 7_919 % 50_000) }),
      "doubles": .array((0..<50_000).map { .double(Double($0) * 1.1e-300 + 1e300) }),
      "alternating": .array((0..<50_000).map { .double($0 % 2 == 0 ? 1e308 : -1e308) }),
      "texts": .array((0..<20_000).map { .string(key($0 * 7_919 % 20_000)) }),
      "numerals": .array((0..<20_000).map { .string("\($0).123456789e-7") }),
      "longKeys": .object(
        JSON.Object((0..<5_000).map { (String(repeating: "k", count: 60) + key($0), .int($0 % 7)) })
      ),
      "map": .object(JSON.Object((0..<50_000).map { (key($0 * 31 % 50_000), .string(key($0))) })),
      "pairs": .array((0..<20_000).map { [.string(key($0 * 7_919 % 20_000)), .int($0)] }),
      "arrays": .array((0..<20_000).map { _ in [] }),
      "deep": (0..<60).reduce(["x": 1]) { inner, _ in ["a": inner, "b": 1] },
      "text": .string(String(repeating: "abcdefgh", count: 12_500)),
      "same": .string(String(repeating: "a", count: 100_000)),
      "spaces": .string(String(repeating: " ", count: 100_000)),
      "wide": .string(String(repeating: "ﬃ", count: 33_333)),
      "sharp": .string(String(repeating: "ßİ", count: 25_000)),
      "marks": .string(String(repeating: "e\u{301}", count: 33_333)),
      "controls": .string(String(repeating: "\u{1}", count: 100_000)),
    ]
  }

  /// A variable: JSON as a client sends it.
  static let plain: JSON = .array((0..<5_000).map(row))

  private static func key(_ number: Int64) -> String {
    let digits = String(number)
    return "key" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  private static func row(_ number: Int64) -> JSON {
    [
      "id": .string(key(number)), "n": .int(number), "m": .double(Double(number) * 0.37),
      "name": .string("row number \(number) of many"), "ref": .string(key(number * 31 % 20_000)),
      "group": .string("group \(number % 50)"), "tags": ["a", "b", "c"],
      "part": ["x": .int(number % 10), "y": .int(number % 100)],
    ]
  }
}
