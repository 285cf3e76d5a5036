/// What was in a container at one moment: arrays that are copied only if the container changes afterwards.
enum NodeImage {
  case members(KeyedBlocks.Image)
  case elements([Content])

  var isObject: Bool {
    if case .members = self { true } else { false }
  }

  /// Walks over members, with their keys, or elements until `body` says false.
  func forEach(_ body: (String?, Content) -> Bool) {
    switch self {
    case .elements(let elements):
      for element in elements where !body(nil, element) { return }
    case .members(var members):
      while let (key, content) = members.next() {
        guard body(key, content) else { return }
      }
    }
  }
}

extension KeyedBlocks {
  /// Members in the byte order of their keys, handed out one by one.
  struct Image {
    private let blocks: [(keys: [String], contents: [Content])]
    private var block = 0
    private var index = 0

    init(_ blocks: [(keys: [String], contents: [Content])]) { self.blocks = blocks }

    var isAtEnd: Bool { block == blocks.count }

    mutating func next() -> (key: String, content: Content)? {
      guard block < blocks.count else { return nil }
      defer {
        index += 1
        if index == blocks[block].keys.count { (block, index) = (block + 1, 0) }
      }
      return (blocks[block].keys[index], blocks[block].contents[index])
    }
  }
}

extension Node {
  /// What is in it now.
  var image: NodeImage {
    switch self {
    case let object as ObjectNode: .members(object.members)
    case let list as ListNode: .elements(list.elements)
    default: .elements([])
    }
  }
}
