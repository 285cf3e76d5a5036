internal import ObsWire

/// `[a, b]`.
final class ListPlan: Plan {
  let elements: [Plan]

  init(_ elements: [Plan], at place: Int) {
    self.elements = elements
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.make(elements.count, at: place)
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try element.evaluate(current, run)) }
    return .array(values)
  }
}

/// `{b: b, a: a}`: the keys are sorted once, and shared by all objects that it makes.
final class HashPlan: Plan {
  let keys: [String]
  /// In the order of the text, each with its place among the keys; of equal keys the last one counts.
  let members: [(index: Int, value: Plan)]

  init(_ members: [(key: String, value: Plan)], at place: Int) {
    var keys: [String] = []
    for key in members.map(\.key).sorted(by: UTF8Order.precedes)
    where keys.last.map({ !UTF8Order.equal($0, key) }) ?? true {
      keys.append(key)
    }
    self.keys = keys
    self.members = members.map { member in
      (keys.firstIndex { UTF8Order.equal($0, member.key) } ?? 0, member.value)
    }
    super.init(at: place)
  }

  override func evaluate(_ current: Value, _ run: Run) throws(QueryError) -> Value {
    try run.make(keys.count, at: place)
    var values = [Value](repeating: .null, count: keys.count)
    for member in members { values[member.index] = try member.value.evaluate(current, run) }
    return .object(QueryObject(sortedKeys: keys, values: values))
  }
}
