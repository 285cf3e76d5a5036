/// A query that can be asked for by value: its arguments, and the type of what comes back.
///
/// ```swift
/// struct OpenFor: LiveQuery {
///   static let operation = "openFor"
///   typealias Value = Int
///   var name: String          // sent as {"name": …}
/// }
/// ```
///
/// Two equal queries share one handle and one subscription.
public protocol LiveQuery: Hashable, Encodable, Sendable {
  /// What the query results in.
  associatedtype Value: Decodable & Sendable
  /// The query's name on the server.
  static var operation: String { get }
}
