/// The one text of a JSON value: equal values have equal bytes, and the other way round.
///
/// For share keys and digests. Keys in byte order, no white space, and a double that is exactly an Int64 written as
/// that integer (`3.0` as `3`, `-0.0` as `0`).
public enum Canonical {
  /// The canonical bytes of a value.
  public static func bytes(_ json: JSON) -> [UInt8] {
    var writer = JSONWriter()
    write(json, to: &writer)
    return writer.bytes
  }

  private static func write(_ json: JSON, to writer: inout JSONWriter) {
    switch json {
    case .double(let value):
      if let integer = Int64(exactly: value) { writer.write(integer) } else { writer.write(value) }
    case .array(let elements):
      writer.beginArray()
      for element in elements { write(element, to: &writer) }
      writer.endArray()
    case .object(let object):
      writer.beginObject()
      for member in object {
        writer.key(member.key)
        write(member.value, to: &writer)
      }
      writer.endObject()
    case .null, .bool, .int, .string:
      writer.write(json)
    }
  }
}
