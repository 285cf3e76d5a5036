/// An operation written as a GraphQL document, the form that GraphQL clients can send (PROTOCOL.md, carrier documents).
///
///     subscription Open($n: Int = 5) { newest(limit: $n, states: [open]) { id title } }
///
/// The supported part of GraphQL: one operation, variables with defaults, root fields with aliases and arguments, and
/// selection sets, which are a projection of the field's value. No fragments, no directives, no introspection; types are
/// read over and not checked.
public struct CarrierDocument: Sendable {
  /// What the operation's keyword asks for.
  public enum Kind: String, Sendable, Hashable {
    /// `query`: answer once.
    case query
    /// `subscription`: watch.
    case subscription
    /// `mutation`: write.
    case mutation

    /// What a root `__typename` answers: `Query`, `Subscription`, `Mutation`.
    public var typeName: String {
      switch self {
      case .query: "Query"
      case .subscription: "Subscription"
      case .mutation: "Mutation"
      }
    }
  }

  /// An operation to call, and the member of `data` that its value becomes.
  public struct Field: Sendable, Hashable {
    /// The alias, or else the name.
    public var responseKey: String

    /// The operation's name.
    public var name: String

    /// The arguments with variables put in.
    ///
    /// An argument whose variable was not given is left out.
    public var arguments: JSON.Object

    /// The projection of the value; nil takes it as it is.
    public var selection: [Selection]?

    /// Where the field stands in the text, for errors about it.
    public var location: WireError.Location

    /// Where the field stands in the text: code points before it.
    public var offset: Int

    /// Whether this asks for the type of the operation, ``Kind/typeName``, and calls nothing.
    public var isTypeName: Bool { name == "__typename" }
  }

  /// A member of an object to take over.
  public struct Selection: Sendable, Hashable {
    /// The alias, or else the name.
    public var responseKey: String

    /// The name in the value.
    public var name: String

    /// The projection of the member; nil takes it as it is.
    public var selection: [Selection]?
  }

  /// Whether to answer once, to watch, or to write.
  public let kind: Kind

  /// The root fields in the order of the text, at least one; no two have the same response key.
  public let fields: [Field]

  /// Whether a text is a carrier document, and not a query of another language.
  ///
  /// It is when its first word is `query`, `subscription` or `mutation`, and an optional name and then `(`, `{` or `@`
  /// follow. The short form `{ … }` is none.
  public static func isCarrier(_ text: String) -> Bool {
    var lexer = CarrierLexer(text)
    guard let word = lexer.word(), Kind(rawValue: word) != nil else { return false }
    _ = lexer.word()
    switch lexer.peek() {
    case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "@"): return true
    default: return false
    }
  }

  /// Reads a document and puts the variables in.
  ///
  /// Of the variables, those that the document does not define are ignored.
  ///
  /// - Parameters:
  ///   - text: the document.
  ///   - variables: values for the variables that the document defines.
  ///   - limits: how large the document may be.
  /// - Throws: ``ErrorCode/syntax``, ``ErrorCode/undefinedVariable`` (not defined, or of a type with `!` and not given),
  ///   ``ErrorCode/numberRange``, ``ErrorCode/tooComplex`` (`extensions.limit` names the limit) or
  ///   ``ErrorCode/introspectionNotSupported``, with the place in `locations` and `extensions.offset`.
  public init(
    parsing text: String,
    variables: JSON.Object = [:],
    limits: CarrierLimits = CarrierLimits()
  ) throws(WireError) {
    var parser = try CarrierParser(text, variables: variables, limits: limits)
    (kind, fields) = try parser.document()
  }
}

/// How large a carrier document may be; more is ``ErrorCode/tooComplex``.
public struct CarrierLimits: Sendable, Hashable {
  /// Parsing is recursive: this deep it needs some 100 KiB of stack.
  static let deepest = 200

  /// The most bytes of text.
  ///
  /// Default 8 KiB. Variables do not count: they are limited as part of the message.
  public var maximumBytes: Int

  /// The deepest nesting of selection sets, lists and objects.
  ///
  /// Default 50, at most 200. The outermost selection set has depth 1.
  public var maximumDepth: Int

  /// The most fields, arguments, variable definitions, list elements and object members together.
  ///
  /// Default 500.
  public var maximumNodes: Int

  /// Makes limits; what is not given has its default.
  public init(maximumBytes: Int = 8 * 1024, maximumDepth: Int = 50, maximumNodes: Int = 500) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
    self.maximumNodes = maximumNodes
  }
}
