public import ObsWire

/// Why a commit is refused; nothing of it was applied.
public struct CommitError: Error, Sendable, Hashable {
  /// What is wrong, to decide by.
  ///
  /// `conflict` (a `test`, an `ifAbsent` or `ifSeq` did not hold), `patch-failed` (the patch itself is wrong, or names
  /// what is not there), `number-range`, `read-only`, `forbidden`, `too-large` (see ``limit``).
  public var code: ErrorCode

  /// What is wrong and where, for people.
  public var message: String

  /// The place of the operation in the patch, from 0; nil when no single one is to blame.
  public var op: Int?

  /// The place in the document, as the text of a JSON Pointer.
  public var pointer: String?

  /// The limit that was exceeded, of `too-large`: `operations`, `depth`, `copied-values`.
  public var limit: String?

  /// Makes an error; what is not given is not known.
  public init(
    _ code: ErrorCode,
    _ message: String,
    op: Int? = nil,
    pointer: String? = nil,
    limit: String? = nil
  ) {
    self.code = code
    self.message = message
    self.op = op
    self.pointer = pointer
    self.limit = limit
  }

  init(_ code: ErrorCode, _ message: String, at pointer: JSONPointer, limit: String? = nil) {
    self.init(code, message, pointer: pointer.description, limit: limit)
  }

  /// The same error, with the operation that is to blame.
  func of(op index: Int) -> CommitError {
    var error = self
    error.op = error.op ?? index
    return error
  }
}

extension CommitError: CustomStringConvertible {
  /// Code, operation and text in one line.
  public var description: String {
    "\(code): \(op.map { "operation \($0): " } ?? "")\(message)"
  }

  /// The error as it travels.
  public var wire: WireError {
    var extensions: JSON.Object = [:]
    if let op { extensions["op"] = .int(Int64(op)) }
    if let pointer { extensions["pointer"] = .string(pointer) }
    if let limit { extensions["limit"] = .string(limit) }
    return WireError(code, message, extensions: extensions)
  }
}
