/// An error as it travels: in `error` messages and in `next.payload.errors`.
///
///     {"message":"no operation `opne`","extensions":{"code":"unknown-operation","hint":"did you mean `open`?"}}
public struct WireError: Error, Sendable, Hashable {
  /// A place in the text of a query.
  public struct Location: Sendable, Hashable {
    /// The line, from 1.
    public var line: Int

    /// The column in code points, from 1.
    public var column: Int

    /// Makes a place.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// The text for people.
  public var message: String

  /// The category, to decide by.
  public var code: ErrorCode

  /// Where in the query; left out on the wire when empty.
  public var locations: [Location]

  /// Where in the result, keys and indices; left out on the wire when empty.
  public var path: [JSON]

  /// The further members of `extensions`.
  ///
  /// Such as `offset`, `hint`, `retryable`, `limit`, `argument`, `pointer`, `op`, `id`. The member `code` is not among them, it is ``code``.
  public var extensions: JSON.Object

  /// Makes an error; what is not given is empty.
  public init(
    _ code: ErrorCode,
    _ message: String,
    locations: [Location] = [],
    path: [JSON] = [],
    extensions: JSON.Object = [:]
  ) {
    self.message = message
    self.code = code
    self.locations = locations
    self.path = path
    self.extensions = extensions
    self.extensions["code"] = nil
  }

  /// Whether a retry may help: what `extensions.retryable` says, else what the code says.
  public var retryable: Bool { extensions["retryable"]?.boolValue ?? code.retryable }

  /// What the reader may try instead.
  public var hint: String? { extensions["hint"]?.stringValue }

  /// The place in the query's text, in code points from 0.
  public var offset: Int? { extensions["offset"]?.intValue.flatMap(Int.init(exactly:)) }

  /// The place in the document, as the text of a JSON Pointer.
  public var pointer: String? { extensions["pointer"]?.stringValue }

  /// Which operation of a patch is to blame, from 0.
  public var op: Int? { extensions["op"]?.intValue.flatMap(Int.init(exactly:)) }

  /// The limit that was exceeded, by its name.
  public var limit: String? { extensions["limit"]?.stringValue }
}

extension WireError {
  /// The error in the shape of the wire.
  public var json: JSON {
    var object: JSON.Object = ["message": .string(message)]
    if !locations.isEmpty {
      object["locations"] = .array(
        locations.map { ["line": .int(Int64($0.line)), "column": .int(Int64($0.column))] }
      )
    }
    if !path.isEmpty { object["path"] = .array(path) }
    var extensions = extensions
    extensions["code"] = .string(code.rawValue)
    object["extensions"] = .object(extensions)
    return .object(object)
  }

  /// Reads an error from the wire; nil when this is no object with a `message`.
  ///
  /// Lenient otherwise: without a code it is `internal`, and places that are none are left out.
  public init?(json: JSON) {
    guard let message = json["message"]?.stringValue else { return nil }
    let extensions = json["extensions"]?.objectValue ?? [:]
    let locations = (json["locations"]?.arrayValue ?? []).compactMap { place -> Location? in
      guard let line = place["line"]?.intValue.flatMap(Int.init(exactly:)),
        let column = place["column"]?.intValue.flatMap(Int.init(exactly:))
      else { return nil }
      return Location(line: line, column: column)
    }
    self.init(
      extensions["code"]?.stringValue.map(ErrorCode.init(rawValue:)) ?? .internal,
      message,
      locations: locations,
      path: json["path"]?.arrayValue ?? [],
      extensions: extensions
    )
  }
}

extension WireError: JSONWritable, CustomStringConvertible {
  /// Writes the error in the shape of the wire, `message` first.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("message", message)
    if !locations.isEmpty {
      writer.key("locations")
      writer.beginArray()
      for location in locations {
        writer.beginObject()
        writer.member("line", location.line)
        writer.member("column", location.column)
        writer.endObject()
      }
      writer.endArray()
    }
    if !path.isEmpty { writer.member("path", path) }
    writer.key("extensions")
    writer.beginObject()
    writer.member("code", code.rawValue)
    for member in extensions { writer.member(member.key, member.value) }
    writer.endObject()
    writer.endObject()
  }

  /// Code and message in one line.
  public var description: String { "\(code): \(message)" }
}
