public import ObsWire

/// A container that a query walks: an object or an array of plain or live data.
///
/// Live implementations note what is read, so that a later change wakes the query: each requirement says what
/// reading it depends on. Scalars are never `Readable`; they are given as ``Value``.
///
/// Every method may be called only where the data lives; a live type conforms in isolation
/// (`extension Node: @ObsActor Readable`), plain data conforms everywhere.
public protocol Readable: AnyObject {
  /// Whether this has members or elements.
  var form: ReadableForm { get }

  /// What two references to the same thing have in common; they are equal without being read.
  ///
  /// The default is the reference itself. Nodes that are made anew for each reading name what they stand for.
  var identity: ObjectIdentifier { get }

  /// How many members or elements there are; depends on the membership only.
  func count(_ scope: ScanScope?) -> Int

  /// The member that the query's text names; nil when it is absent or may not be read.
  ///
  /// Depends on this one member: present, absent, or (a scalar) its value. A container is a reference: what it holds
  /// is depended on when it is read.
  func member(_ name: MemberName, _ scope: ScanScope?) -> Value?

  /// The member of a computed key (`lookup`); the same dependence as ``member(_:_:)``.
  func member(key: String, _ scope: ScanScope?) -> Value?

  /// The element at a place from 0; nil past the end.
  func element(_ index: Int, _ scope: ScanScope?) -> Value?

  /// Walks over the keys in the order of their UTF-8 bytes until `body` says false; depends on the membership.
  func forEachKey(_ scope: ScanScope?, _ body: (String) throws(QueryError) -> Bool)
    throws(QueryError)

  /// Walks over members (in the byte order of keys) or elements (in their order; the key is then empty) until
  /// `body` says false; depends on the membership and on the members that are scalars.
  ///
  /// Members that are containers are given as `.node(child, scope)` with a scope of this implementation's choice: reads
  /// through it may be noted once for the whole scan (a column) and not once a record.
  func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError)

  /// The members whose own member `name` equals a scalar, as a container of the same form; nil when this cannot be
  /// told faster than by walking (the default).
  ///
  /// For `values(x)[?name == …]`, `x.*` and `x[?name == …]`. Depends on that partition alone: a record that enters it,
  /// leaves it, or (scalars) changes. The answer is walked and counted with scope nil, and its members are trusted to
  /// match: `name` is not read again.
  func matching(_ name: MemberName, _ value: JSON, _ scope: ScanScope?) -> (any Readable)?

  /// How many members ``matching(_:_:_:)`` looks at when nobody has asked for that name before; 0 by default.
  ///
  /// The evaluation counts them as work. Depends on nothing.
  var indexedCount: Int { get }

  /// The whole subtree; depends on all of it.
  func snapshot(_ scope: ScanScope?) -> JSON

  /// Writes the whole subtree and depends on all of it, as ``snapshot(_:)`` does.
  ///
  /// - Throws: `result-too-large` as soon as the writer holds more than `maximumBytes` (an absolute count). The default
  ///   takes a snapshot; a source that can write piece by piece saves the copy.
  func write(_ scope: ScanScope?, to writer: inout JSONWriter, maximumBytes: Int) throws(QueryError)
}

extension Readable {
  /// This reference.
  public var identity: ObjectIdentifier { ObjectIdentifier(self) }

  /// Cannot be told faster than by walking.
  public func matching(_ name: MemberName, _ value: JSON, _ scope: ScanScope?) -> (any Readable)? {
    nil
  }

  /// Nothing to look at.
  public var indexedCount: Int { 0 }

  /// Takes a snapshot and writes it.
  public func write(
    _ scope: ScanScope?,
    to writer: inout JSONWriter,
    maximumBytes: Int
  ) throws(QueryError) {
    try writer.write(snapshot(scope), maximumBytes: maximumBytes)
  }
}

/// What a ``Readable`` looks like from outside.
public enum ReadableForm: Sendable {
  /// Members with keys.
  case object
  /// Elements in an order.
  case array
}

/// Through which scan a node was reached; opaque to the evaluator, which hands it back to the node.
///
/// A child of a node that was reached through a scope is given by the node itself, with the scope it needs.
public typealias ScanScope = AnyObject

/// A member name of a query's text, with room for what a data source wants to remember of it.
///
/// One instance for each distinct name of one prepared query, used on one executor only.
public final class MemberName {
  /// The name as the text spells it.
  public let text: String
  /// Whose token is remembered.
  public var source: ObjectIdentifier?
  /// What the source remembers: an interned field number, or -1 for a name that it does not know yet.
  public var token = 0
  /// Where the member stood in the plain object that was read last; records of one shape are then found at once.
  var place = 0

  /// Makes a name that nothing is remembered of yet.
  public init(_ text: String) { self.text = text }
}
