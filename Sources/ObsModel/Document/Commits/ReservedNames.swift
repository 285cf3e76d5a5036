import ObsWire

/// Members of the root that commits may not write: hosted models, and the server's own names.
///
/// Models and the document's members share one namespace (PROTOCOL.md, names).
public struct ReservedNames: Sendable {
  private var hosted: Set<ByteKey> = []

  /// Whether names that begin with `_` are refused, too.
  public var reservesUnderscore: Bool

  /// Makes a set of names.
  public init(hosted names: some Sequence<String> = [], reservesUnderscore: Bool = false) {
    self.reservesUnderscore = reservesUnderscore
    for name in names { hosted.insert(ByteKey(name)) }
  }

  /// Refuses commits into a name from now on.
  public mutating func insert(_ name: String) { hosted.insert(ByteKey(name)) }

  /// Takes a name back.
  public mutating func remove(_ name: String) { hosted.remove(ByteKey(name)) }

  /// - Throws: `read-only` for a hosted model, `forbidden` for a name of the server's own.
  func check(_ name: String) throws(CommitError) {
    if hosted.contains(ByteKey(name)) {
      throw CommitError(
        .readOnly,
        "`\(name)` is a hosted model: it is changed by its commands, not by commits",
        at: JSONPointer(tokens: [name])
      )
    }
    if reservesUnderscore, name.utf8.first == UInt8(ascii: "_") {
      throw CommitError(
        .forbidden,
        "`\(name)` is reserved: names that begin with `_` belong to the server",
        at: JSONPointer(tokens: [name])
      )
    }
  }
}
