internal import ObsWire

/// The keys of what is sorted: all numbers or all texts.
struct SortKeys {
  private var keys: [Value] = []
  private var textBytes = 0
  private let call: String
  private let place: Int

  init(of function: BuiltIn, at place: Int) {
    call = "`\(function.rawValue)`"
    self.place = place
  }

  mutating func append(_ key: Value, _ run: Run) throws(QueryError) {
    let kind = key.kind
    guard kind == .number || kind == .string, kind == keys.first?.kind ?? kind else {
      throw run.typeError(
        call,
        expects: keys.isEmpty ? "numbers or texts" : "numbers or texts, not both",
        found: kind,
        at: place
      )
    }
    if case .string(let text) = key { textBytes += text.utf8.count }
    keys.append(key)
  }

  /// The places of the keys in ascending order; equal keys keep theirs.
  func order(_ run: Run) throws(QueryError) -> [Int] {
    try run.step(Self.steps(count: keys.count, bytes: textBytes), at: place)
    let keys = keys
    // The standard library's sort is stable.
    guard case .string = keys.first else {
      return keys.indices.sorted { (NumberOrder.compare(keys[$0], keys[$1]) ?? 0) < 0 }
    }
    let texts = keys.map { if case .string(let text) = $0 { text } else { "" } }
    return texts.indices.sorted { UTF8Order.precedes(texts[$0], texts[$1]) }
  }

  /// What sorting counts: n log n comparisons, of texts so many bytes each.
  static func steps(count: Int, bytes: Int) -> Int {
    let rounds = Int.bitWidth - count.leadingZeroBitCount
    return count * rounds + bytes / 16 * rounds
  }

  static func steps(_ lengths: some Collection<Int>) -> Int {
    steps(count: lengths.count, bytes: lengths.reduce(0, +))
  }
}
