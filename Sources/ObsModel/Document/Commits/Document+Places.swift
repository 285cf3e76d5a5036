import ObsWire

extension Document {
  /// A place that can be written: its container is there.
  enum Place {
    case root
    case member(ObjectNode, String)
    /// From 0 to the number of elements, which is the place behind the last one.
    case element(ListNode, Int)
  }

  /// What is at a place; nil when there is nothing.
  func content(at tokens: [String]) -> Content? {
    var found = content
    for token in tokens {
      switch found.node {
      case let object as ObjectNode:
        guard let next = object[token] else { return nil }
        found = next
      case let list as ListNode:
        guard let index = Self.index(token), list.elements.indices.contains(index) else {
          return nil
        }
        found = list.elements[index]
      default:
        return nil
      }
    }
    return found
  }

  /// What is at a place.
  ///
  /// - Throws: `patch-failed` that says which part of the pointer names nothing.
  func existing(_ pointer: JSONPointer) throws(CommitError) -> Content {
    try existing(pointer, segments: pointer.tokens.count)
  }

  private func existing(_ pointer: JSONPointer, segments: Int) throws(CommitError) -> Content {
    var found = content
    for depth in 0..<segments {
      let token = pointer.tokens[depth]
      switch found.node {
      case let object as ObjectNode:
        guard let next = object[token] else {
          let text = "\(Self.name(pointer, depth)) has no member `\(token.prefix(100))`"
          throw CommitError(.patchFailed, text, at: pointer)
        }
        found = next
      case let list as ListNode:
        let index = try Self.index(of: list, at: pointer, depth)
        guard index < list.elements.count else {
          throw Self.pastTheEnd(of: list, at: pointer, depth)
        }
        found = list.elements[index]
      default:
        throw Self.noMembers(found, at: pointer, depth)
      }
    }
    return found
  }

  /// A place to write to; its container must be there, it itself need not.
  func place(_ pointer: JSONPointer) throws(CommitError) -> Place {
    guard let last = pointer.tokens.last else { return .root }
    let depth = pointer.tokens.count - 1
    let container = try existing(pointer, segments: depth)
    switch container.node {
    case let object as ObjectNode:
      return .member(object, last)
    case let list as ListNode:
      if last == "-" { return .element(list, list.elements.count) }
      let index = try Self.index(of: list, at: pointer, depth)
      guard index <= list.elements.count else {
        throw Self.pastTheEnd(of: list, at: pointer, depth)
      }
      return .element(list, index)
    default:
      throw Self.noMembers(container, at: pointer, depth)
    }
  }

  /// A place where something is.
  func existingPlace(_ pointer: JSONPointer) throws(CommitError) -> Place {
    let place = try place(pointer)
    // The slow way says what is missing.
    if content(at: place) == nil || pointer.tokens.last == "-" { _ = try existing(pointer) }
    return place
  }

  /// An array index of RFC 6901: digits without leading zeros.
  private static func index(_ token: String) -> Int? {
    let digits = token.utf8
    guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int(token)
  }

  private static func index(
    of list: ListNode,
    at pointer: JSONPointer,
    _ depth: Int
  ) throws(CommitError) -> Int {
    let token = pointer.tokens[depth]
    if let index = index(token) { return index }
    let isLong = token.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    if isLong, token.utf8.count > 1, token.utf8.first != UInt8(ascii: "0") {
      throw pastTheEnd(of: list, at: pointer, depth)
    }
    let rule =
      token == "-"
      ? "`-` is the place behind the last element, where nothing is yet"
      : "an index is made of digits, without leading zeros"
    let text =
      "\(name(pointer, depth)) is an array, and `\(token.prefix(100))` is no index: \(rule)"
    throw CommitError(.patchFailed, text, at: pointer)
  }

  private static func pastTheEnd(
    of list: ListNode,
    at pointer: JSONPointer,
    _ depth: Int
  ) -> CommitError {
    let count = list.elements.count
    let size = count == 1 ? "1 element" : "\(count) elements"
    let token = pointer.tokens[depth].prefix(40)
    let text = "index \(token) is past the end of \(name(pointer, depth)), which has \(size)"
    return CommitError(.patchFailed, text, at: pointer)
  }

  private static func noMembers(
    _ found: Content,
    at pointer: JSONPointer,
    _ depth: Int
  ) -> CommitError {
    let text = "\(name(pointer, depth)) is \(found.json.kind), which has no members"
    return CommitError(.patchFailed, text, at: pointer)
  }

  /// The first segments of a pointer, for people.
  private static func name(_ pointer: JSONPointer, _ depth: Int) -> String {
    depth == 0 ? "the document" : "`\(JSONPointer(tokens: Array(pointer.tokens.prefix(depth))))`"
  }
}
