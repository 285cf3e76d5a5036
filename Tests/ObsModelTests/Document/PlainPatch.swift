import ObsWire

/// JSON Patch over plain JSON, in the plainest way: what the document is compared with.
struct PlainPatch {
  struct Failure: Error {}

  private(set) var json: JSON

  init(_ json: JSON) { self.json = json }

  /// Applies all operations or throws and changes nothing.
  mutating func apply(_ operations: [JSON]) throws {
    let before = json
    do {
      for operation in operations { try apply(operation) }
    } catch {
      json = before
      throw error
    }
  }

  private mutating func apply(_ operation: JSON) throws {
    let path = Self.tokens(operation["path"])
    switch operation["op"]?.stringValue {
    case "add":
      guard let value = operation["value"] else { throw Failure() }
      json = try Self.adding(value, to: json, at: path[...])
    case "remove":
      guard !path.isEmpty else { throw Failure() }
      json = try Self.removing(from: json, at: path[...])
    case "replace":
      guard let value = operation["value"] else { throw Failure() }
      _ = try Self.value(of: json, at: path[...])
      json = try Self.replacing(in: json, at: path[...], by: value)
    case "test":
      guard try Self.value(of: json, at: path[...]) == operation["value"] else { throw Failure() }
    case "copy":
      let value = try Self.value(of: json, at: Self.tokens(operation["from"])[...])
      json = try Self.adding(value, to: json, at: path[...])
    case "move":
      let from = Self.tokens(operation["from"])
      let isInside = path.map(\.utf8.bytes).starts(with: from.map(\.utf8.bytes))
      guard !isInside || path.count == from.count else { throw Failure() }
      let value = try Self.value(of: json, at: from[...])
      if isInside { return }
      json = try Self.adding(value, to: Self.removing(from: json, at: from[...]), at: path[...])
    default:
      throw Failure()
    }
  }

  /// Applies a merge patch as RFC 7396 writes it down.
  static func merged(_ target: JSON?, _ patch: JSON) -> JSON {
    guard case .object(let members) = patch else { return patch }
    var result = target?.objectValue ?? [:]
    for member in members {
      result[member.key] = member.value.isNull ? nil : merged(result[member.key], member.value)
    }
    return .object(result)
  }

  // The keys of these tests need no escape.
  private static func tokens(_ pointer: JSON?) -> [String] {
    (pointer?.stringValue ?? "").split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      .map { String($0) }
  }

  private static func place(_ token: String, in count: Int) throws -> Int {
    guard let index = Int(token), String(index) == token, (0..<count).contains(index) else {
      throw Failure()
    }
    return index
  }

  static func value(of json: JSON, at path: ArraySlice<String>) throws -> JSON {
    guard let token = path.first else { return json }
    switch json {
    case .object(let object):
      guard let member = object[token] else { throw Failure() }
      return try value(of: member, at: path.dropFirst())
    case .array(let elements):
      return try value(of: elements[place(token, in: elements.count)], at: path.dropFirst())
    default:
      throw Failure()
    }
  }

  /// The value with the part at a path changed by `change`, which gets the container and the last token.
  private static func changing(
    _ json: JSON,
    at path: ArraySlice<String>,
    _ change: (JSON, String) throws -> JSON
  ) throws -> JSON {
    guard let token = path.first else { throw Failure() }
    if path.count == 1 { return try change(json, token) }
    switch json {
    case .object(var object):
      guard let member = object[token] else { throw Failure() }
      object[token] = try changing(member, at: path.dropFirst(), change)
      return .object(object)
    case .array(var elements):
      let index = try place(token, in: elements.count)
      elements[index] = try changing(elements[index], at: path.dropFirst(), change)
      return .array(elements)
    default:
      throw Failure()
    }
  }

  private static func adding(
    _ value: JSON,
    to json: JSON,
    at path: ArraySlice<String>
  ) throws -> JSON {
    if path.isEmpty { return value }
    return try changing(json, at: path) { container, token in
      switch container {
      case .object(var object):
        object[token] = value
        return .object(object)
      case .array(var elements):
        let index = token == "-" ? elements.count : try place(token, in: elements.count + 1)
        elements.insert(value, at: index)
        return .array(elements)
      default:
        throw Failure()
      }
    }
  }

  private static func removing(from json: JSON, at path: ArraySlice<String>) throws -> JSON {
    try changing(json, at: path) { container, token in
      switch container {
      case .object(var object):
        guard object[token] != nil else { throw Failure() }
        object[token] = nil
        return .object(object)
      case .array(var elements):
        elements.remove(at: try place(token, in: elements.count))
        return .array(elements)
      default:
        throw Failure()
      }
    }
  }

  private static func replacing(
    in json: JSON,
    at path: ArraySlice<String>,
    by value: JSON
  ) throws -> JSON {
    if path.isEmpty { return value }
    return try changing(json, at: path) { container, token in
      switch container {
      case .object(var object):
        object[token] = value
        return .object(object)
      case .array(var elements):
        elements[try place(token, in: elements.count)] = value
        return .array(elements)
      default:
        throw Failure()
      }
    }
  }
}

extension String.UTF8View {
  /// For comparing; `String` would take two spellings of `é` for one.
  fileprivate var bytes: [UInt8] { Array(self) }
}
