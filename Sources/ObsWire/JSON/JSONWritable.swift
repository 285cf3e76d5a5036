/// A type that writes itself as JSON, many times faster than by `Encodable`.
///
/// The common types conform; conform your own rows where encoding shows in a profile. Such a type must write exactly
/// one value, and should write the same JSON value as its `Encodable` form, since it is encoded that way when it
/// stands inside a type that does not conform.
///
///     extension Row: JSONWritable {
///       func write(to writer: inout JSONWriter) {
///         writer.beginObject()
///         writer.member("id", id)
///         writer.member("title", title)
///         writer.endObject()
///       }
///     }
public protocol JSONWritable {
  /// Writes this value: exactly one JSON value.
  func write(to writer: inout JSONWriter)
}

extension JSONWriter {
  /// Writes any value that can write itself.
  @inlinable public mutating func write(_ value: some JSONWritable) { value.write(to: &self) }

  /// Writes a key and its value.
  @inlinable public mutating func member(_ name: String, _ value: some JSONWritable) {
    key(name)
    value.write(to: &self)
  }
}

extension JSON: JSONWritable {
  /// Writes this value, objects in the byte order of their keys.
  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension JSON.Object: JSONWritable {
  /// Writes this object in the byte order of its keys.
  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Bool: JSONWritable {
  /// Writes `true` or `false`.
  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Int: JSONWritable {
  /// Writes a number.
  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Int64: JSONWritable {
  /// Writes a number.
  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Int32: JSONWritable {
  /// Writes a number.
  public func write(to writer: inout JSONWriter) { writer.write(Int64(self)) }
}

extension UInt32: JSONWritable {
  /// Writes a number.
  public func write(to writer: inout JSONWriter) { writer.write(Int64(self)) }
}

extension Double: JSONWritable {
  /// Writes a number, or `null` for NaN and infinity, see ``JSONWriter``.
  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension String: JSONWritable {
  /// Writes text.
  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
  /// Writes the value, or `null`.
  @inlinable public func write(to writer: inout JSONWriter) {
    guard let self else { return writer.writeNull() }
    self.write(to: &writer)
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  /// Writes the elements in their order.
  @inlinable public func write(to writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { element.write(to: &writer) }
    writer.endArray()
  }
}

extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
  /// Writes an object in the byte order of its keys.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for member in sorted(by: { UTF8Order.precedes($0.key, $1.key) }) {
      writer.member(member.key, member.value)
    }
    writer.endObject()
  }
}
