public import ObsQuery
internal import ObsWire

extension Bool: Exposable {
  /// `true` or `false`.
  @ObsActor @inlinable public var exposed: Value { .bool(self) }
  /// `boolean`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "boolean" }
}

extension String: Exposable {
  /// Text.
  @ObsActor @inlinable public var exposed: Value { .string(self) }
  /// `string`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "string" }
}

extension Substring: Exposable {
  /// Text.
  @ObsActor @inlinable public var exposed: Value { .string(String(self)) }
  /// `string`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "string" }
}

extension Double: Exposable {
  /// A number; null for NaN and infinity.
  @ObsActor @inlinable public var exposed: Value { isFinite ? .double(self) : .null }
  /// `number`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "number" }
}

extension Float: Exposable {
  /// The shortest number that reads back as this one; null for NaN and infinity.
  @ObsActor public var exposed: Value { Value(encoded: self) }
  /// `number`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "number" }
}

/// An integer that a field may have.
public protocol ExposableInteger: FixedWidthInteger, Exposable {}

extension ExposableInteger {
  /// A number; null for what is larger than Int64 can hold.
  @ObsActor @inlinable public var exposed: Value { Int64(exactly: self).map(Value.int) ?? .null }
  /// `integer`.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String { "integer" }
}

extension Int: ExposableInteger {}
extension Int8: ExposableInteger {}
extension Int16: ExposableInteger {}
extension Int32: ExposableInteger {}
extension Int64: ExposableInteger {}
extension UInt: ExposableInteger {}
extension UInt8: ExposableInteger {}
extension UInt16: ExposableInteger {}
extension UInt32: ExposableInteger {}
extension UInt64: ExposableInteger {}

extension Exposable where Self: RawRepresentable, RawValue: Exposable {
  /// The raw value.
  @ObsActor @inlinable public var exposed: Value { rawValue.exposed }
  /// The type of the raw value.
  @ObsActor public static func describe(in shape: ShapeBuilder) -> String {
    shape.rawValue(Self.self)
  }
}
