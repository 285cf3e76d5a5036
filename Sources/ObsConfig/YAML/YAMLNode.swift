/// A piece of a YAML text with its place.
struct YAMLNode: Equatable {
  indirect enum Value: Equatable {
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    case mapping([YAMLMember])
    /// Something that was refused where it was found; it says nothing more.
    case refused
  }

  var value: Value
  var place: YAMLPlace

  /// Whether nothing stands here, as behind the colon of `server:`.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = value else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}

/// A key and its value; of two with the same key only the first is kept.
struct YAMLMember: Equatable {
  var key: String
  var place: YAMLPlace
  var node: YAMLNode
}

/// Makes a tree of events, and refuses the parts of YAML that configuration does not need.
///
/// Refused are anchors, aliases, tags, merge keys, directives, a second document, keys that are not text, and keys that
/// stand twice. Reading goes on behind each of them, so that all are told at once.
struct YAMLTree {
  /// The one document; nil when the text is empty or has comments only.
  private(set) var root: YAMLNode?
  /// What was refused, in the order of the text.
  private(set) var problems: [YAMLProblem] = []
  private var rest: ArraySlice<YAMLEvent>

  /// Reads a text in UTF-8; text that is not YAML at all is one problem.
  init(_ bytes: [UInt8]) {
    do throws(YAMLProblem) { rest = try YAMLEvents.read(bytes)[...] } catch {
      rest = []
      problems = [error]
    }
    while let event = rest.popFirst() {
      guard case .documentStart(let hasDirectives) = event.kind else { continue }
      if hasDirectives { refuse("directives such as %YAML are not accepted", at: event.place) }
      guard root == nil else {
        refuse("a second document begins here; a configuration is one document", at: event.place)
        break
      }
      root = node()
    }
    if root?.isNull == true { root = nil }
  }

  private mutating func refuse(_ message: String, at place: YAMLPlace) {
    problems.append(YAMLProblem(place: place, message: message))
  }

  /// Reads one node; its depth was checked with the events.
  private mutating func node() -> YAMLNode {
    guard let event = rest.popFirst() else {
      return YAMLNode(value: .refused, place: YAMLPlace(line: 1, column: 1))
    }
    if case .alias = event.kind {
      refuse("aliases such as *\(event.anchor ?? "") are not accepted", at: event.place)
      return YAMLNode(value: .refused, place: event.place)
    }
    if let anchor = event.anchor {
      refuse("anchors such as &\(anchor) are not accepted", at: event.place)
    }
    if let tag = event.tag {
      refuse("tags are not accepted, but here is \(Self.short(tag))", at: event.place)
    }
    switch event.kind {
    case .scalar(let text, let isPlain):
      return YAMLNode(value: .scalar(text, isPlain: isPlain), place: event.place)
    case .sequenceStart: return YAMLNode(value: .sequence(elements()), place: event.place)
    case .mappingStart: return YAMLNode(value: .mapping(members()), place: event.place)
    default: return YAMLNode(value: .refused, place: event.place)
    }
  }

  private mutating func elements() -> [YAMLNode] {
    var elements: [YAMLNode] = []
    while let next = rest.first, next.kind != .sequenceEnd { elements.append(node()) }
    _ = rest.popFirst()
    return elements
  }

  private mutating func members() -> [YAMLMember] {
    var members: [YAMLMember] = []
    var lines: [String: Int] = [:]
    while let next = rest.first, next.kind != .mappingEnd {
      let key = node()
      let value = node()
      guard case .scalar(let name, let isPlain) = key.value else {
        if key.value != .refused { refuse("a key must be text", at: key.place) }
        continue
      }
      if name == "<<", isPlain {
        refuse("merge keys (<<) are not accepted", at: key.place)
        continue
      }
      if let line = lines[name] {
        refuse("`\(name)` stands here a second time; first in line \(line)", at: key.place)
        continue
      }
      lines[name] = key.place.line
      members.append(YAMLMember(key: name, place: key.place, node: value))
    }
    _ = rest.popFirst()
    return members
  }

  /// `!!int` as it was written, and not as libyaml spells it out.
  private static func short(_ tag: String) -> String {
    let prefix = "tag:yaml.org,2002:"
    return tag.hasPrefix(prefix) ? "!!" + tag.dropFirst(prefix.count) : tag
  }
}
