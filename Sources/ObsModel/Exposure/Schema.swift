/// The fields of a type that clients see, in the order of their names' bytes.
///
/// An object has all of them always: a field whose value is nil is there and `null`, so how many fields there are
/// and what they are called never changes, and asking depends on nothing.
@ObsActor
public final class Schema<Model> {
  /// The fields in the byte order of their names.
  public let fields: [Field<Model>]

  @usableFromInline let table: FieldTable

  /// Makes a schema; names must not be empty, and there must not be two of one name.
  @inlinable
  public init(@SchemaBuilder<Model> _ fields: () -> [Field<Model>]) {
    let fields = fields()
    let order = FieldTable.order(fields.map(\.name), of: Model.self)
    self.fields = order.map { fields[$0] }
    table = FieldTable(
      of: Model.self,
      names: self.fields.map(\.name),
      readers: self.fields.map { field in
        let read = field.read
        return { read(Boxed<Model>.contents(of: $0)) }
      }
    )
  }
}

/// Collects the fields of a ``Schema``; `if` and `for` work as in any builder.
@resultBuilder @ObsActor
public enum SchemaBuilder<Model> {
  /// One field.
  public static func buildExpression(_ field: Field<Model>) -> [Field<Model>] { [field] }
  /// Fields one after another.
  public static func buildBlock(_ fields: [Field<Model>]...) -> [Field<Model>] {
    fields.flatMap { $0 }
  }
  /// Fields that exist under a condition.
  public static func buildOptional(_ fields: [Field<Model>]?) -> [Field<Model>] { fields ?? [] }
  /// Fields of the first branch.
  public static func buildEither(first fields: [Field<Model>]) -> [Field<Model>] { fields }
  /// Fields of the second branch.
  public static func buildEither(second fields: [Field<Model>]) -> [Field<Model>] { fields }
  /// Fields of a loop.
  public static func buildArray(_ fields: [[Field<Model>]]) -> [Field<Model>] {
    fields.flatMap { $0 }
  }
}
