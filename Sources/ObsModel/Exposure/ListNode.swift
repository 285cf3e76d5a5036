internal import ObsQuery

/// An array of a model as a query walks it; the array has been read, its elements have not.
@ObsActor
final class ListNode {
  private let length: Int
  private let read: (Int) -> Value

  /// Makes a list of so many elements, each of which is read when it is used.
  init(count: Int, _ read: @escaping (Int) -> Value) {
    length = count
    self.read = read
  }
}

extension ListNode: @ObsActor ExposureNode {
  var form: ReadableForm { .array }

  func count(_ scope: ScanScope?) -> Int { length }

  func member(_ name: MemberName, _ scope: ScanScope?) -> Value? { nil }

  func member(key: String, _ scope: ScanScope?) -> Value? { nil }

  func element(_ index: Int, _ scope: ScanScope?) -> Value? {
    index >= 0 && index < length ? read(index) : nil
  }

  func forEachKey(
    _ scope: ScanScope?,
    _ body: (String) throws(QueryError) -> Bool
  ) throws(QueryError) {}

  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) {
    for index in 0..<length {
      guard try body("", read(index)) else { return }
    }
  }
}
