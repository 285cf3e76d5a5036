/// Turns `Codable` types into JSON and back.
///
/// The forms, where there is a choice:
///
/// - Structs and classes: objects with their keys in byte order; a nil property is left out.
/// - Enums: `RawRepresentable` as their raw value; with associated values as `{"case":{"label":…}}`.
/// - Dictionaries: objects, whenever every key encodes as text or as an integer (so also `[SomeEnum: Value]`);
///   otherwise a list of key, value, key, value …, sorted by key. Sets: a list, sorted. Nothing depends on hashing.
/// - `Date`: ISO 8601 in UTC with milliseconds, `"2026-02-03T04:05:06.789Z"`, so text order is time order; read with
///   any fraction and offset. `Data`: base64. `URL`: its text. `UUID`: upper case. `Decimal`: text, `"12.50"` stays exact.
/// - `Float`: the shortest decimal that reads back as the same `Float`. NaN and infinity are refused.
/// - ``JSON``: itself.
///
/// Reading takes an integral number for an integer (`3.0` for 3), the nearest double for any number, ignores members
/// that the type does not ask for, and names what is wrong, see ``JSONDecodingError``.
public enum JSONCoding {
  /// Encodes a value as JSON text, the same bytes for the same value.
  ///
  /// A type that is ``JSONWritable`` writes itself, without `Encodable`.
  ///
  /// - Throws: ``JSONEncodingError``, or what the type's own `encode(to:)` throws.
  public static func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
    if let writable = value as? any JSONWritable {
      var writer = JSONWriter()
      writable.write(to: &writer)
      if !writer.containsNonFinite { return writer.bytes }
      // The slow way knows where it is.
      _ = try json(value)
      throw JSONEncodingError(path: "", message: "value has a number that is not finite")
    }
    return try json(value).encoded
  }

  /// Encodes a value as a JSON value.
  ///
  /// - Throws: ``JSONEncodingError``, or what the type's own `encode(to:)` throws.
  public static func json<T: Encodable>(_ value: T) throws -> JSON {
    do {
      return try TreeEncoder.json(of: value, at: .root)
    } catch let error as EncodingError {
      throw JSONEncodingError(error)
    }
  }

  /// Decodes a value from JSON.
  ///
  /// - Parameters:
  ///   - type: the type to make.
  ///   - json: the value to read.
  ///   - root: what stands in front of the paths in errors; empty for arguments.
  ///   - noun: what the value is called in errors.
  /// - Returns: the value.
  /// - Throws: ``JSONDecodingError``, which names the member that is wrong or missing.
  public static func decode<T: Decodable>(
    _ type: T.Type = T.self,
    from json: JSON,
    root: String = "",
    noun: String = "argument"
  ) throws(JSONDecodingError) -> T {
    do {
      return try TreeDecoder.value(T.self, from: json, at: .root)
    } catch {
      throw JSONDecodingError(error, root: root, noun: noun)
    }
  }
}
