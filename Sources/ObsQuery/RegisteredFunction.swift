/// A function of the embedding program that queries may call by name; its result may be live nodes.
///
/// It is trusted: what it does is not counted in steps. An error without a place gets the place of the call.
public typealias RegisteredFunction = ([Value]) throws(QueryError) -> Value

/// How many arguments a registered function takes.
public struct FunctionSignature: Sendable, Hashable {
  /// The fewest arguments.
  public var minimum: Int
  /// The most arguments; nil for any number.
  public var maximum: Int?

  /// Makes a signature.
  public init(minimum: Int, maximum: Int?) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// A function with exactly so many arguments.
  public static func exactly(_ count: Int) -> Self { Self(minimum: count, maximum: count) }

  /// A function with any number of arguments.
  public static let any = Self(minimum: 0, maximum: nil)

  func accepts(_ count: Int) -> Bool { count >= minimum && count <= maximum ?? .max }
}
