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
    var found = content
    for depth in pointer.tokens.indices {
      let token = pointer.tokens[depth]
      let around = JSONPointer(tokens: Array(pointer.tokens.prefix(depth)))
      switch found.node {
      case let object as ObjectNode:
        guard let next = object[token] else {
          throw CommitError(
            .patchFailed,
            "\(Self.name(around)) has no member `\(token.prefix(100))`",
            at: pointer
          )
        }
        found = next
      case let list as ListNode:
        let index = try Self.index(token, of: list, at: pointer, around)
        guard index < list.elements.count else {
          throw Self.pastTheEnd(token, of: list, at: pointer, around)
        }
        found = list.elements[index]
      default:
        throw CommitError(
          .patchFailed,
          "\(Self.name(around)) is \(found.json.kind), which has no members",
          at: pointer
        )
      }
    }
    return found
  }

  /// A place to write to; its container must be there, it itself need not.
  func place(_ pointer: JSONPointer) throws(CommitError) -> Place {
    guard let (around, last) = pointer.split else { return .root }
    let container = try existing(around)
    switch container.node {
    case let object as ObjectNode:
      return .member(object, last)
    case let list as ListNode:
      if last == "-" { return .element(list, list.elements.count) }
      let index = try Self.index(last, of: list, at: pointer, around)
      guard index <= list.elements.count else {
        throw Self.pastTheEnd(last, of: list, at: pointer, around)
      }
      return .element(list, index)
    default:
      throw CommitError(
        .patchFailed,
        "\(Self.name(around)) is \(container.json.kind), which has no members",
        at: pointer
      )
    }
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
    _ token: String,
    of list: ListNode,
    at pointer: JSONPointer,
    _ around: JSONPointer
  ) throws(CommitError) -> Int {
    if let index = index(token) { return index }
    let isLong = !token.isEmpty && token.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    if isLong, token.utf8.first != UInt8(ascii: "0") {
      throw pastTheEnd(token, of: list, at: pointer, around)
    }
    let rule =
      token == "-"
      ? "`-` is the place behind the last element, where nothing is yet"
      : "an index is made of digits, without leading zeros"
    throw CommitError(
      .patchFailed,
      "\(name(around)) is an array, and `\(token.prefix(100))` is no index: \(rule)",
      at: pointer
    )
  }

  private static func pastTheEnd(
    _ token: String,
    of list: ListNode,
    at pointer: JSONPointer,
    _ around: JSONPointer
  ) -> CommitError {
    let count = list.elements.count
    let size = count == 1 ? "1 element" : "\(count) elements"
    return CommitError(
      .patchFailed,
      "index \(token.prefix(40)) is past the end of \(name(around)), which has \(size)",
      at: pointer
    )
  }

  private static func name(_ pointer: JSONPointer) -> String {
    pointer.isRoot ? "the document" : "`\(pointer)`"
  }
}
