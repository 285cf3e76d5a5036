/// Counts which fields of exposed models are read, for those who want to know.
@ObsActor
public final class ModelReads {
  /// Who counts at present; reading costs one comparison while nobody does.
  static private(set) var counting: ModelReads?

  private var order: [String] = []
  private var counts: [String: Int] = [:]

  private init() {}

  func note(_ field: Int, of table: FieldTable) {
    let name = "\(table.typeName).\(table.names[field])"
    if counts.updateValue(counts[name, default: 0] + 1, forKey: name) == nil { order.append(name) }
  }

  /// Runs `body` and tells which fields of which types it read, in the order of the first reading.
  ///
  /// - Returns: such as `["Board.items", "Item.state × 548"]`.
  public static func during(_ body: () -> Void) -> [String] {
    let (outer, own) = (counting, ModelReads())
    counting = own
    defer { counting = outer }
    body()
    return own.order.map { name in
      let count = own.counts[name] ?? 0
      return count == 1 ? name : "\(name) × \(count)"
    }
  }
}
