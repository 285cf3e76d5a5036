public import ObsWire

/// One operation of a JSON Patch (RFC 6902).
///
///     .replace("/issues/i01/state", with: "closed")     {"op":"replace","path":"/issues/i01/state","value":"closed"}
///
/// Places are JSON Pointers (RFC 6901): `~1` is a slash in a key, `~0` a tilde, `-` the end of a list.
public struct JSONPatchOperation: Sendable, Hashable {
  /// The operation as it travels.
  public let json: JSON

  /// Makes any operation from its JSON; the server says what is wrong with it.
  public init(json: JSON) { self.json = json }

  /// Sets a member, whether or not it is there, or inserts an element into a list.
  ///
  /// With `ifAbsent`, a member that is there refuses the commit with `conflict`.
  public static func add(_ pointer: String, _ value: JSON, ifAbsent: Bool = false) -> Self {
    var json: JSON.Object = ["op": "add", "path": .string(pointer), "value": value]
    if ifAbsent { json["ifAbsent"] = true }
    return Self(json: .object(json))
  }

  /// Replaces what is there; when nothing is, the commit fails.
  public static func replace(_ pointer: String, with value: JSON) -> Self {
    Self(json: ["op": "replace", "path": .string(pointer), "value": value])
  }

  /// Removes what is there; when nothing is, the commit fails.
  public static func remove(_ pointer: String) -> Self {
    Self(json: ["op": "remove", "path": .string(pointer)])
  }

  /// Takes a value away from one place and adds it at another.
  public static func move(from: String, to pointer: String) -> Self {
    Self(json: ["op": "move", "from": .string(from), "path": .string(pointer)])
  }

  /// Adds a value that stands at one place at another, too.
  public static func copy(from: String, to pointer: String) -> Self {
    Self(json: ["op": "copy", "from": .string(from), "path": .string(pointer)])
  }

  /// Refuses the commit with `conflict` unless this value is there.
  public static func test(_ pointer: String, is value: JSON) -> Self {
    Self(json: ["op": "test", "path": .string(pointer), "value": value])
  }
}
