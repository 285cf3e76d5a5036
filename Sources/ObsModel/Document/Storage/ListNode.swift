import ObsQuery
import ObsWire

/// An array: its elements in their order.
final class ListNode: Node {
  private(set) var elements: [Content]

  init(_ context: DocumentContext, _ elements: [Content]) {
    self.elements = elements
    super.init(context)
    for element in elements { element.node?.parent = self }
  }

  deinit { for element in elements { element.node?.parent = nil } }

  override var form: ReadableForm { .array }

  // Only `Document.perform` calls these: cells hear nothing of them.

  func replace(_ index: Int, _ content: Content) -> Content {
    let old = elements[index]
    elements[index] = content
    if let node = old.node, node !== content.node { node.parent = nil }
    adopt(content)
    return old
  }

  func insert(_ content: Content, at index: Int) {
    elements.insert(content, at: index)
    adopt(content)
  }

  func remove(_ index: Int) -> Content {
    let old = elements.remove(at: index)
    old.node?.parent = nil
    return old
  }

  private func adopt(_ content: Content) {
    guard let node = content.node else { return }
    node.parent = self
    node.key = ""
  }

  override func forEachChild(_ body: (Node) -> Void) {
    for element in elements { if let node = element.node { body(node) } }
  }

  override var json: JSON { .array(elements.map(\.json)) }

  override func equals(_ json: JSON) -> Bool {
    guard case .array(let others) = json, others.count == elements.count else { return false }
    return zip(elements, others).allSatisfy { $0.equals($1) }
  }

  // MARK: What queries read (Cells/Reading.swift)

  override func count(_ scope: ScanScope?) -> Int { readCount(scope) }
  override func element(_ index: Int, _ scope: ScanScope?) -> Value? { readElement(index, scope) }
  override func forEachMember(
    _ scope: ScanScope?,
    _ body: (String, Value) throws(QueryError) -> Bool
  ) throws(QueryError) { try readElements(scope, body) }

  override func write(to writer: inout JSONWriter, maximumBytes: Int) throws(QueryError) {
    writer.beginArray()
    for element in elements { try element.write(to: &writer, maximumBytes: maximumBytes) }
    writer.endArray()
  }
}
