public import FoundationEssentials
public import ObsQuery
public import ObsWire

// Types whose form is that of ObsWire's `JSONCoding`, so that a query and a registered function say the same.

extension Date: Exposable {
  /// ISO 8601 in UTC with milliseconds, so that text order is time order; null outside the years 1 to 9999.
  @ObsActor public var exposed: Value { Value(encoded: self) }
  /// `string`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "string" }
}

extension UUID: Exposable {
  /// The text in upper case.
  @ObsActor public var exposed: Value { .string(uuidString) }
  /// `string`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "string" }
}

extension URL: Exposable {
  /// The text.
  @ObsActor public var exposed: Value { .string(absoluteString) }
  /// `string`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "string" }
}

extension Decimal: Exposable {
  /// Text, so that `0.1` stays exact; null for what is not finite.
  @ObsActor public var exposed: Value { Value(encoded: self) }
  /// `string`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "string" }
}

extension Data: Exposable {
  /// Base64.
  @ObsActor public var exposed: Value { Value(encoded: self) }
  /// `string`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "string" }
}

extension JSON: Exposable {
  /// Itself.
  @ObsActor public var exposed: ObsQuery.Value { ObsQuery.Value(self) }
  /// `any`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "any" }
}

extension Value {
  /// The form that `JSONCoding` gives a scalar; null where it refuses.
  init(encoded value: some Encodable) {
    self = ((try? JSONCoding.json(value)).map { Value($0) }) ?? .null
  }
}
