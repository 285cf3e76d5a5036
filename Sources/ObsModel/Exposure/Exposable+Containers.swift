public import ObsQuery

extension Optional: Exposable where Wrapped: Exposable {
  /// The value, or null.
  @ObsActor @inlinable public var exposed: Value {
    switch self {
    case .some(let value): value.exposed
    case .none: .null
    }
  }

  /// The type with a `?` behind it.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String {
    let type = Wrapped.describe(in: shape)
    return type.hasSuffix("?") ? type : type + "?"
  }
}

extension Array: Exposable where Element: Exposable {
  /// A reference to this array, whose elements are not read yet.
  @ObsActor @inlinable public var exposed: Value {
    .list(count: count) { self[$0].exposed }
  }

  /// The type of the elements in brackets.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String {
    "[\(Element.describe(in: shape))]"
  }
}

extension Dictionary: Exposable where Key == String, Value: Exposable {
  /// A reference to this dictionary, whose values are not read yet.
  @ObsActor @inlinable public var exposed: ObsQuery.Value {
    .map(
      count: count,
      keys: { Array(keys) },
      find: { key in index(forKey: key).map { (self[$0].key, self[$0].value.exposed) } }
    )
  }

  /// `{*: type}`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String {
    "{*: \(Value.describe(in: shape))}"
  }
}
