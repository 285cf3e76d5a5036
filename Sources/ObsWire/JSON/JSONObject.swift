extension JSON {
  /// The members of a JSON object, kept sorted by the UTF-8 bytes of their keys.
  ///
  /// The order never depends on history or on hashing, so equal objects always give equal bytes. Lookup is a binary
  /// search; inserting into a large object moves the members behind the new one.
  public struct Object: Sendable {
    /// A key and its value.
    public typealias Member = (key: String, value: JSON)

    /// Invariant: strictly ascending by the bytes of the keys.
    private var members: [Member]

    /// Makes an empty object.
    public init() { members = [] }

    /// Makes an object of members in any order; of members with the same key the last one counts.
    public init(_ members: some Sequence<Member>) { self.init(unsorted: Array(members)) }

    init(unsorted: [Member]) {
      members = unsorted
      guard !Self.isStrictlyAscending(members) else { return }
      // The sort is stable, so the last of several equal keys is the one that was given last.
      members.sort { UTF8Order.precedes($0.key, $1.key) }
      guard !Self.isStrictlyAscending(members) else { return }
      var unique: [Member] = []
      for member in members {
        if let last = unique.last, UTF8Order.equal(last.key, member.key) { unique.removeLast() }
        unique.append(member)
      }
      members = unique
    }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there is no member.
    public var isEmpty: Bool { members.isEmpty }

    /// The keys in byte order.
    public var keys: [String] { members.map(\.key) }

    /// The values in the byte order of their keys.
    public var values: [JSON] { members.map(\.value) }

    /// The value of a key; setting nil removes the member.
    public subscript(key: String) -> JSON? {
      get {
        let place = place(of: key)
        return place.found ? members[place.index].value : nil
      }
      set {
        let place = place(of: key)
        switch (place.found, newValue) {
        case (true, let value?): members[place.index].value = value
        case (true, nil): members.remove(at: place.index)
        case (false, let value?): members.insert((key, value), at: place.index)
        case (false, nil): break
        }
      }
    }

    /// The value of a key, looked for first where another object had it; remembers where it was.
    ///
    /// For walks over records of one shape.
    package func value(of key: String, near place: inout Int) -> JSON? {
      if place < members.count, UTF8Order.equal(members[place].key, key) {
        return members[place].value
      }
      let found = self.place(of: key)
      guard found.found else { return nil }
      place = found.index
      return members[found.index].value
    }

    /// Walks over the members in byte order without copying them.
    func forEachBorrowed(_ body: (String, JSON) -> Void) {
      let members = members.span
      for index in members.indices { body(members[index].key, members[index].value) }
    }

    /// Where the key is, or where it would have to be inserted.
    private func place(of key: String) -> (index: Int, found: Bool) {
      var low = 0
      var high = members.count
      while low < high {
        let middle = (low + high) / 2
        let order = UTF8Order.compare(members[middle].key, key)
        if order == 0 { return (middle, true) }
        if order < 0 { low = middle + 1 } else { high = middle }
      }
      return (low, false)
    }

    private static func isStrictlyAscending(_ members: [Member]) -> Bool {
      guard members.count > 1 else { return true }
      for index in 1..<members.count
      where UTF8Order.compare(members[index - 1].key, members[index].key) >= 0 { return false }
      return true
    }
  }
}

extension JSON.Object: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of members.
  public var endIndex: Int { members.count }

  /// The member at a place in byte order.
  public subscript(position: Int) -> Member { members[position] }
}

extension JSON.Object: Hashable {
  /// Compares keys by bytes and values by JSON value.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count
      && zip(left.members, right.members).allSatisfy {
        UTF8Order.equal($0.key, $1.key) && $0.value == $1.value
      }
  }

  /// Feeds the members in byte order into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for member in members {
      hasher.combine(member.key)
      hasher.combine(member.value)
    }
  }
}

extension JSON.Object: ExpressibleByDictionaryLiteral, CustomStringConvertible {
  /// Makes an object; of members with the same key the last one counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(unsorted: elements.map { (key: $0.0, value: $0.1) })
  }

  /// The compact JSON text.
  public var description: String { JSON.object(self).description }
}
