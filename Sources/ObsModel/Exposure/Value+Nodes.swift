public import ObsQuery

// The nodes, for code that is compiled into other modules.
extension Value {
  /// A reference to a model, or to a ``Boxed`` value.
  @ObsActor @usableFromInline
  static func model(_ object: AnyObject, _ table: FieldTable) -> Value {
    .node(ObjectNode(object, table), nil)
  }

  /// A reference to an array of so many elements, each of which is read when it is used.
  @ObsActor @usableFromInline
  static func list(count: Int, _ read: @escaping (Int) -> Value) -> Value {
    .node(ListNode(count: count, read), nil)
  }

  /// A reference to a dictionary of so many members, each of which is read when it is used.
  @ObsActor @usableFromInline
  static func map(
    count: Int,
    keys: @escaping () -> [String],
    find: @escaping (String) -> (key: String, value: Value)?
  ) -> Value {
    .node(MapNode(count: count, keys: keys, find: find), nil)
  }
}
