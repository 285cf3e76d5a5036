internal import ObsQuery
internal import ObsWire

/// A dictionary of a model as a query walks it, in the byte order of its keys; the dictionary has been read, its
/// values have not.
@ObsActor
final class MapNode {
  /// A key as the dictionary has it, and its value.
  typealias Member = (key: String, value: Value)

  private let size: Int
  private let keys: () -> [String]
  private let find: (String) -> Member?
  /// Sorted once for each reading of the dictionary, and only if it is walked.
  private lazy var sortedKeys = KeyOrder.sorted(keys())

  /// Makes an object of so many members.
  init(
    count: Int,
    keys: @escaping () -> [String],
    find: @escaping (String) -> Member?
  ) {
    size = count
    self.keys = keys
    self.find = find
  }
}

extension MapNode: @ObsActor ExposureNode {
  var form: ReadableForm { .object }

  func count(_ scope: ScanScope?) -> Int { size }

  func member(_ name: MemberName, _ scope: ScanScope?) -> Value? {
    member(key: name.text, scope)
  }

  func member(key: String, _ scope: ScanScope?) -> Value? {
    // Swift takes two spellings of `é` for one key; the language does not.
    guard let member = find(key), UTF8Order.equal(member.key, key) else { return nil }
    return member.value
  }

  func element(_ index: Int, _ scope: ScanScope?) -> Value? { nil }

  func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {
    for key in sortedKeys {
      guard try body(key) else { return }
    }
  }

  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    for key in sortedKeys {
      guard let member = find(key) else { continue }
      guard try body(key, member.value) else { return }
    }
  }
}
