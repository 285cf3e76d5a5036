internal import ObsWire

/// The members of an object that a query made, kept sorted by the UTF-8 bytes of their keys.
///
/// Objects of one multi-select share their keys.
public struct QueryObject {
  /// Strictly ascending by bytes.
  let keys: [String]
  /// In the order of the keys.
  var contents: [Value]

  /// Makes an object of keys that are sorted and distinct, and their values.
  init(sortedKeys: [String], values: [Value]) {
    keys = sortedKeys
    contents = values
  }

  /// Makes an object of members in any order; of members with the same key the last one counts.
  public init(_ members: [(key: String, value: Value)]) {
    let order = members.indices.sorted {
      let order = UTF8Order.compare(members[$0].key, members[$1].key)
      return order == 0 ? $0 < $1 : order < 0
    }
    var keys: [String] = []
    var contents: [Value] = []
    keys.reserveCapacity(members.count)
    contents.reserveCapacity(members.count)
    for index in order {
      if let last = keys.last, UTF8Order.equal(last, members[index].key) {
        contents[contents.count - 1] = members[index].value
      } else {
        keys.append(members[index].key)
        contents.append(members[index].value)
      }
    }
    self.init(sortedKeys: keys, values: contents)
  }

  /// The value of a key.
  public subscript(key: String) -> Value? { index(of: key).map { contents[$0] } }

  private func index(of key: String) -> Int? {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      let order = UTF8Order.compare(keys[middle], key)
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// The value of a key, looked for first where another object had it; remembers where it was.
  func value(of key: String, near place: inout Int) -> Value? {
    if place < keys.count, UTF8Order.equal(keys[place], key) { return contents[place] }
    guard let index = index(of: key) else { return nil }
    place = index
    return contents[index]
  }
}

extension QueryObject: RandomAccessCollection {
  /// A key and its value.
  public typealias Element = (key: String, value: Value)

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of members.
  public var endIndex: Int { keys.count }

  /// The member at a place in the byte order of keys.
  public subscript(position: Int) -> Element { (keys[position], contents[position]) }
}
