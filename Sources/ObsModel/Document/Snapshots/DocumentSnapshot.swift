import ObsWire

/// A document as it was at one place of its log, written piece by piece while commits go on.
///
///     let snapshot = document.beginSnapshot()
///     while let line = snapshot.next() { … }       // some lines in each turn
///
/// The lines are JSON, each with a line end, and equal for equal documents, whatever their history: so a hash of them is
/// a digest of the state (docs/LOG.md lists their forms). A container that is changed before it was written keeps an image
/// of what it was; that is all that a snapshot costs those who write meanwhile.
@ObsActor
public final class DocumentSnapshot {
  /// Containers with more values than this are written in more than one line.
  private static let unit = 1000
  /// A line is ended when it has so many bytes.
  private static let lineBytes = 32 * 1024

  /// A container whose lines are being written.
  fileprivate enum Frame {
    case members(KeyedBlocks.Image)
    case elements(ArraySlice<Content>)
  }

  /// The place of the last commit that it contains.
  public let seq: Int64

  private let document: Document
  private let number: UInt64
  private var root: Content?
  private var frames: [Frame] = []
  private var marks: ChangeMarks.Lines
  private var images: [ObjectIdentifier: (node: Node, image: NodeImage)] = [:]

  fileprivate init(_ document: Document) {
    self.document = document
    seq = document.seq
    number = document.context.tick()
    root = document.content
    marks = document.marks.lines
  }

  /// The next line; nil when the snapshot is complete.
  ///
  /// Takes time for about 32 KiB of text.
  public func next() -> [UInt8]? {
    if let content = root {
      root = nil
      return line("root", open(content))
    }
    if let frame = frames.last { return line(of: frame) }
    end()
    return marks.next().map { $0.encoded + [UInt8(ascii: "\n")] }
  }

  /// Lets go of the document before the end.
  public func end() {
    root = nil
    frames = []
    images = [:]
    if document.runningSnapshot === self { document.runningSnapshot = nil }
  }

  /// Keeps what is in a container that is about to be changed for the first time.
  func keep(_ node: Node) {
    guard node.imaged != number, images[ObjectIdentifier(node)] == nil else { return }
    images[ObjectIdentifier(node)] = (node, node.image)
  }

  // MARK: Walking

  private func image(of node: Node) -> NodeImage {
    images[ObjectIdentifier(node)]?.image ?? node.image
  }

  /// The image of a container that is written now: what happens to it later does not matter any more.
  private func take(_ node: Node) -> NodeImage {
    let image = image(of: node)
    images[ObjectIdentifier(node)] = nil
    node.imaged = number
    return image
  }

  /// Steps into a container, whose members stand in the lines that follow; a plain value is itself.
  private func open(_ content: Content) -> JSON {
    guard let node = content.node else { return content.scalar ?? .null }
    let image = take(node)
    switch image {
    case .members(let members): frames.append(.members(members))
    case .elements(let elements): frames.append(.elements(elements[...]))
    }
    return image.isObject ? [:] : []
  }

  private func line(_ name: String, _ value: JSON) -> [UInt8] {
    JSON.object([name: value]).encoded + [UInt8(ascii: "\n")]
  }

  /// Members or elements up to the size of a line, up to a container that needs lines of its own, or up to the end.
  private func line(of start: Frame) -> [UInt8] {
    var frame = start
    var writer = JSONWriter()
    frame.begin(&writer)
    let empty = writer.bytes.count
    while writer.bytes.count < Self.lineBytes {
      let before = frame
      guard let (key, content) = frame.next() else { break }
      guard size(content, upTo: Self.unit) <= Self.unit else {
        if writer.bytes.count > empty {
          frame = before
          break
        }
        frames[frames.count - 1] = frame
        let isObject = open(content).objectValue != nil
        return line(isObject ? "object" : "array", key.map(JSON.string) ?? .null)
      }
      if let key { writer.key(key) }
      write(content, to: &writer)
    }
    guard writer.bytes.count > empty else {
      frames.removeLast()
      return line("end", true)
    }
    frames[frames.count - 1] = frame
    frame.end(&writer)
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private func size(_ content: Content, upTo limit: Int) -> Int {
    guard let node = content.node else { return 1 }
    var size = 1
    image(of: node).forEach { _, content in
      size += self.size(content, upTo: limit - size)
      return size <= limit
    }
    return size
  }

  private func write(_ content: Content, to writer: inout JSONWriter) {
    guard let node = content.node else { return writer.write(content.scalar ?? .null) }
    let image = take(node)
    if image.isObject { writer.beginObject() } else { writer.beginArray() }
    image.forEach { key, content in
      if let key { writer.key(key) }
      write(content, to: &writer)
      return true
    }
    if image.isObject { writer.endObject() } else { writer.endArray() }
  }
}

extension DocumentSnapshot.Frame {
  fileprivate mutating func next() -> (key: String?, content: Content)? {
    switch self {
    case .members(var members):
      guard let (key, content) = members.next() else { return nil }
      self = .members(members)
      return (key, content)
    case .elements(var elements):
      guard let element = elements.popFirst() else { return nil }
      self = .elements(elements)
      return (nil, element)
    }
  }

  /// Begins a line with members or elements.
  fileprivate func begin(_ writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .members:
      writer.key("members")
      writer.beginObject()
    case .elements:
      writer.key("elements")
      writer.beginArray()
    }
  }

  fileprivate func end(_ writer: inout JSONWriter) {
    switch self {
    case .members: writer.endObject()
    case .elements: writer.endArray()
    }
    writer.endObject()
  }
}

extension Document {
  /// Begins a snapshot of what is in the document now.
  ///
  /// One at a time: the one before must have been ended, or be complete.
  public func beginSnapshot() -> DocumentSnapshot {
    precondition(runningSnapshot == nil, "another snapshot of this document is being written")
    precondition(transaction == nil, "a commit is being applied")
    let snapshot = DocumentSnapshot(self)
    runningSnapshot = snapshot
    return snapshot
  }
}
