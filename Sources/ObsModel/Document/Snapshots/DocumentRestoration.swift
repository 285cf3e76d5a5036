public import ObsWire

/// Makes a document of the lines of a ``DocumentSnapshot``.
///
///     let restoration = DocumentRestoration(seq: 41)
///     for line in lines { try restoration.take(JSON(parsing: line)) }
///     let document = try restoration.document()
@ObsActor
public final class DocumentRestoration {
  private enum Open {
    case object(ObjectNode)
    case list(ListNode)

    var node: Node {
      switch self {
      case .object(let node): node
      case .list(let node): node
      }
    }
  }

  private let context = DocumentContext()
  private let seq: Int64
  private var root: Content?
  private var open: [Open] = []
  private var marks: ChangeMarks
  private var hasMarks = false
  private var collection: ByteKey?

  /// Begins with a snapshot of that place in the log.
  public init(seq: Int64) {
    self.seq = seq
    marks = ChangeMarks(seq: seq)
  }

  /// Takes the next line.
  ///
  /// - Throws: `invalid-value` for a line that cannot stand here.
  public func take(_ line: JSON) throws(CommitError) {
    guard let member = line.objectValue?.first else { throw Self.misplaced(line) }
    switch (member.key, member.value, open.last) {
    case ("root", let value, nil) where root == nil:
      root = try enter(value)
    case ("members", .object(let members), .object(let node)):
      for member in members {
        node.append(member.key, try context.make(member.value, depth: open.count))
      }
    case ("elements", .array(let elements), .list(let list)):
      for element in elements {
        list.insert(try context.make(element, depth: open.count), at: list.elements.count)
      }
    case ("object", _, .some), ("array", _, .some):
      try Document.check(depth: open.count)
      try openContainer(member.key, member.value)
    case ("end", _, .some): open.removeLast()
    case ("marks", _, nil), ("collection", _, nil), ("records", _, nil):
      guard root != nil, marks.take(line, collection: &collection) else {
        throw Self.misplaced(line)
      }
      hasMarks = true
    default: throw Self.misplaced(line)
    }
  }

  /// The document, after the last line.
  ///
  /// - Throws: `invalid-value` when lines are missing.
  public func document() throws(CommitError) -> Document {
    guard let root, open.isEmpty, hasMarks else {
      throw CommitError(.invalidValue, "the snapshot is not complete")
    }
    return Document(context, root, seq: seq, marks: marks)
  }

  /// Content for a value at the top: an empty container is filled by the lines that follow.
  private func enter(_ value: JSON) throws(CommitError) -> Content {
    let content = try context.make(value, depth: open.count)
    switch content.node {
    case let node as ObjectNode: open.append(.object(node))
    case let list as ListNode: open.append(.list(list))
    default: break
    }
    return content
  }

  private func openContainer(_ kind: String, _ place: JSON) throws(CommitError) {
    let parent = open.last
    let content = try enter(kind == "object" ? [:] : [])
    switch (parent, place) {
    case (.object(let node), .string(let key)): node.append(key, content)
    case (.list(let list), .null): list.insert(content, at: list.elements.count)
    default: throw Self.misplaced(JSON.object([kind: place]))
    }
  }

  private static func misplaced(_ line: JSON) -> CommitError {
    CommitError(
      .invalidValue,
      "a line of the snapshot cannot stand where it is: \(line.description.prefix(80))"
    )
  }
}
