import ObsQuery
import ObsWire
import Synchronization

/// The field names of one document, as small numbers, and the shapes that its records have.
///
/// Both are counted: a name or shape that no record has any more is forgotten, so names that come and go (ids used as
/// field names) do not pile up.
final class NameTable {
  /// What ``MemberName/token`` says of a name that no record has.
  static let unknown: Int32 = 0xFF_FFFF

  private var numbers: [ByteKey: Int32] = [:]
  private var names: [String] = []
  /// How many shapes have the name.
  private var uses: [Int] = []
  private var free: [Int32] = []
  private var shapes: [[Int32]: KnownShape] = [:]
  private unowned var latest: Shape?

  /// Changes whenever a number may mean something else; different in every table, so a token needs no owner.
  private var stamp = NameTable.nextStamp()
  private static let stamps = Atomic<Int>(1)

  /// A shape leaves the table before it goes; a weak reference would slow down each use of it.
  private struct KnownShape { unowned let shape: Shape }

  private static func nextStamp() -> Int {
    stamps.wrappingAdd(1, ordering: .relaxed).newValue << 24
  }

  /// The number of a name in a query's text, remembered in the name itself; ``unknown`` if no record has it.
  func number(of name: MemberName) -> Int32 {
    let remembered = name.token
    if remembered & ~0xFF_FFFF == stamp { return Int32(truncatingIfNeeded: remembered & 0xFF_FFFF) }
    let number = numbers[ByteKey(name.text)] ?? NameTable.unknown
    name.token = stamp | Int(number)
    return number
  }

  /// The shape with these names, which are distinct and in byte order.
  func shape(_ names: some Collection<String>) -> Shape {
    if let latest, latest.names.count == names.count,
      zip(latest.names, names).allSatisfy({ UTF8Order.equal($0, $1) })
    {
      return latest
    }
    let numbers = names.map(intern)
    let shape =
      shapes[numbers]?.shape
      ?? Shape(table: self, numbers: numbers, names: numbers.map { self.names[Int($0)] })
    latest = shape
    return shape
  }

  private func intern(_ name: String) -> Int32 {
    if let known = numbers[ByteKey(name)] { return known }
    let number: Int32
    if let reused = free.popLast() {
      number = reused
      names[Int(number)] = name
    } else {
      number = Int32(names.count)
      precondition(number < NameTable.unknown, "a document has 16,777,215 field names at most")
      names.append(name)
      uses.append(0)
    }
    numbers[ByteKey(name)] = number
    stamp = NameTable.nextStamp()
    return number
  }

  /// Called by a new shape.
  fileprivate func adopt(_ shape: Shape) {
    for number in shape.numbers { uses[Int(number)] += 1 }
    shapes[shape.numbers] = KnownShape(shape: shape)
  }

  /// Called by a shape that no record has any more.
  fileprivate func forget(_ numbers: [Int32]) {
    shapes[numbers] = nil
    latest = nil
    for number in numbers {
      uses[Int(number)] -= 1
      guard uses[Int(number)] == 0 else { continue }
      self.numbers[ByteKey(names[Int(number)])] = nil
      names[Int(number)] = ""
      free.append(number)
      stamp = NameTable.nextStamp()
    }
  }

  /// How many names and shapes are in use.
  var counts: (names: Int, shapes: Int) { (numbers.count, shapes.count) }
}

/// The names that a record has, in byte order; shared by all records that have the same.
final class Shape {
  private let table: NameTable
  let numbers: [Int32]
  let names: [String]

  fileprivate init(table: NameTable, numbers: [Int32], names: [String]) {
    self.table = table
    self.numbers = numbers
    self.names = names
    table.adopt(self)
  }

  deinit { table.forget(numbers) }

  /// Where a name stands; nil when records of this shape do not have it.
  func place(of number: Int32) -> Int? {
    numbers.firstIndex(of: number)
  }

  /// Where a key stands, or where it would have to be inserted.
  func place(of key: String) -> (index: Int, found: Bool) {
    var low = 0
    var high = names.count
    while low < high {
      let middle = (low + high) / 2
      let order = UTF8Order.compare(names[middle], key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  /// The shape with one more name.
  func adding(_ key: String, at index: Int) -> Shape {
    var names = names
    names.insert(key, at: index)
    return table.shape(names)
  }

  /// The shape with one name less.
  func removing(at index: Int) -> Shape {
    var names = names
    names.remove(at: index)
    return table.shape(names)
  }
}
