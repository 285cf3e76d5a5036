public import ObsQuery

/// A model, or a value in a model, that queries of clients may walk, as far as its schema says.
///
///     extension Item: @ObsActor Exposed {
///       static let schema = Schema<Item> {
///         Field("title", \.title, "What people call it")
///         Field("open") { $0.parts.count { $0.isOpen } }
///       }
///     }
///
/// What the schema does not name does not exist for clients. A query depends on what it reads, field by field: on the
/// observed properties that each field's closure touched. For classes (final ones) and for structs.
public protocol Exposed: Exposable {
  /// The fields that clients see; a `static let`, so that there is one for the type.
  @ObsActor static var schema: Schema<Self> { get }
}

extension Exposed where Self: AnyObject {
  /// A reference to the model, of which nothing is read yet.
  @ObsActor @inlinable
  public var exposed: Value { .model(self, Self.schema.table) }
}

extension Exposed {
  /// A copy of the value, whose fields are not read yet.
  @ObsActor @inlinable
  public var exposed: Value { .model(Boxed(self), Self.schema.table) }

  /// The type's name, which the shape explains once.
  @ObsActor
  public static func describe(in shape: ShapeBuilder) -> String { shape.object(Self.self) }
}

/// A type that a field of a ``Schema`` may have.
///
/// Numbers, text, dates and the like, optionals, arrays, dictionaries with text as keys, and everything ``Exposed``.
/// An enum with raw values needs no conformance as a field, an optional or an array of its own; deeper inside it takes
/// one line: `extension State: Exposable {}`.
public protocol Exposable {
  /// The value as a query sees it: a scalar, or a reference to a container that is read when it is used.
  @ObsActor var exposed: Value { get }

  /// The type in words: `string`, `[Item]`, `{*: integer}`, and a `?` behind what may be null.
  @ObsActor static func describe(in shape: ShapeBuilder) -> String
}
