public import ObsWire

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

/// A query of the language as something to observe: text, variables, and the type of what comes back.
///
/// ```swift
/// let open = client.handle(for: TextQuery("length(values(issues)[?state == $s])", ["s": "open"], as: Int.self))
/// ```
public struct TextQuery<Value: Decodable & Sendable>: LiveQuery {
  /// Empty: the text says what is asked.
  public static var operation: String { "" }
  /// The query.
  public let text: String
  /// The values of its variables, without `$`.
  public let variables: JSON.Object

  /// Makes a query from its text.
  ///
  /// - Parameters:
  ///   - text: the query, JMESPath or a carrier document.
  ///   - variables: the values of its variables, without `$`.
  ///   - type: what its value is decoded as.
  public init(_ text: String, _ variables: JSON.Object = [:], as type: Value.Type = Value.self) {
    self.text = text
    self.variables = variables
  }

  /// Writes the variables.
  public func encode(to encoder: any Encoder) throws {
    try JSON.object(variables).encode(to: encoder)
  }
}

/// A query that is asked by its text, whatever its type.
private protocol Spoken {
  var text: String { get }
}

extension TextQuery: Spoken {}

extension Request {
  /// What a handle asks for.
  init(_ query: some LiveQuery) {
    if let spoken = query as? any Spoken {
      self.init(query: spoken.text, query)
    } else {
      self.init(type(of: query).operation, query)
    }
  }
}
