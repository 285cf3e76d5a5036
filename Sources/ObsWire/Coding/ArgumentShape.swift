/// Names and JSON types of the members that a `Decodable` type asks for.
///
///     struct Arguments: Decodable { let limit: Int, states: [State], title: String? }
///     ArgumentShape.describe(Arguments.self)   // {"limit":"integer","states":["string"],"title":"string?"}
///
/// Found by decoding the type with samples and noting what it reads; nothing has to be declared. So this sees what one
/// reading shows: of a type that reads different things depending on the data, only what it reads of the samples, and of a
/// type that refuses all samples, what it had read by then.
public enum ArgumentShape {
  /// Describes what a type reads.
  ///
  /// Types are `integer`, `number`, `string`, `boolean`, `any`, `[element]`, `{"member": type}`, and `{"*": type}` for a
  /// dictionary; `array` and `object` where nothing is known about the inside, which is also how a recursive type ends.
  /// What may be missing or null has a trailing `?`: on the type, or on the member's name where the type is a list or an
  /// object (`{"filter?":{"state":"string"}}`).
  ///
  /// The type's own `init(from:)` runs, with samples such as 0 and the empty text: it must throw for what it does not
  /// like, never trap.
  ///
  /// - Parameter type: the type of an operation's arguments.
  /// - Returns: its shape; nil for a type that reads nothing.
  public static func describe<T: Decodable>(_ type: T.Type) -> JSON? {
    let note = ShapeNote()
    _ = try? ShapeDecoder(note: note).value(type)
    return note.json
  }
}

/// What was read at one place.
final class ShapeNote {
  private enum Kind { case unread, named(String), list, members }

  private var kind = Kind.unread
  private var elements: [ShapeNote] = []
  private var members: [(name: String, note: ShapeNote)] = []
  var isOptional = false

  /// The first thing that is read decides: what follows are other attempts at the same value.
  func name(_ name: String) { if case .unread = kind { kind = .named(name) } }
  func beginList() { if case .unread = kind { kind = .list } }
  func beginMembers() { if case .unread = kind { kind = .members } }

  func member(_ name: String) -> ShapeNote {
    if let known = members.first(where: { UTF8Order.equal($0.name, name) }) { return known.note }
    members.append((name, ShapeNote()))
    return members[members.count - 1].note
  }

  func element(_ index: Int) -> ShapeNote {
    while elements.count <= index { elements.append(ShapeNote()) }
    return elements[index]
  }

  /// The kind without the inside, for a type that contains itself.
  var outline: String {
    switch kind {
    case .unread: "any"
    case .named(let name): name
    case .list: "array"
    case .members: "object"
    }
  }

  var json: JSON? {
    switch kind {
    case .unread:
      return nil
    case .list where !elements.isEmpty:
      return .array(elements.map { $0.json ?? "any" })
    case .members where !members.isEmpty:
      return .object(JSON.Object(unsorted: members.map(Self.member)))
    case .named, .list, .members:
      return .string(isOptional && !outline.hasSuffix("?") ? outline + "?" : outline)
    }
  }

  private static func member(_ name: String, _ note: ShapeNote) -> JSON.Object.Member {
    switch note.json {
    case nil: (name, note.isOptional ? "any?" : "any")
    case .string(let type)?: (name, .string(type))
    case let shape?: (note.isOptional ? name + "?" : name, shape)
    }
  }
}
