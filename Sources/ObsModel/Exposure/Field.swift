public import ObsQuery

/// One member that clients see of a model: its name, and how it is read.
@ObsActor
public struct Field<Model> {
  /// The name in queries; any text that is not empty, `items` or `"due date"`.
  public let name: String
  /// What it says, for people who ask `$describe`; nil if the name says it.
  public let text: String?

  @usableFromInline let read: (Model) -> Value
  @usableFromInline let describe: (ShapeBuilder) -> String

  @usableFromInline init(
    name: String,
    text: String?,
    describe: @escaping (ShapeBuilder) -> String,
    read: @escaping (Model) -> Value
  ) {
    self.name = name
    self.text = text
    self.read = read
    self.describe = describe
  }

  /// A field that a key path or a closure reads: `Field("title", \.title)`, `Field("open") { $0.items.count }`.
  ///
  /// - Parameters:
  ///   - name: the name in queries.
  ///   - read: what it says now; runs in evaluations of queries, so it must not change anything.
  ///   - text: what it says, in words.
  @inlinable
  public init<Content: Exposable>(
    _ name: String,
    _ read: @escaping (Model) -> Content,
    _ text: String? = nil
  ) {
    self.init(name: name, text: text, describe: { Content.describe(in: $0) }) {
      read($0).exposed
    }
  }

  /// A field of an enum with raw values, or of another wrapped scalar.
  @inlinable @_disfavoredOverload
  public init<Content: RawRepresentable>(
    _ name: String,
    _ read: @escaping (Model) -> Content,
    _ text: String? = nil
  ) where Content.RawValue: Exposable {
    self.init(name: name, text: text, describe: { $0.rawValue(Content.self) }) {
      read($0).rawValue.exposed
    }
  }

  /// A field of an enum with raw values that may be nil.
  @inlinable @_disfavoredOverload
  public init<Content: RawRepresentable>(
    _ name: String,
    _ read: @escaping (Model) -> Content?,
    _ text: String? = nil
  ) where Content.RawValue: Exposable {
    self.init(name: name, text: text, describe: { $0.rawValue(Content.self) + "?" }) {
      read($0)?.rawValue.exposed ?? .null
    }
  }

  /// A field with a list of enums with raw values.
  @inlinable @_disfavoredOverload
  public init<Content: RawRepresentable>(
    _ name: String,
    _ read: @escaping (Model) -> [Content],
    _ text: String? = nil
  ) where Content.RawValue: Exposable {
    self.init(name: name, text: text, describe: { "[\($0.rawValue(Content.self))]" }) {
      let list = read($0)
      return .list(count: list.count) { list[$0].rawValue.exposed }
    }
  }
}
