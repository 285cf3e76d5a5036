public import ObsWire

extension Value {
  /// Writes the value and reads all of it.
  ///
  /// - Parameters:
  ///   - writer: where it is written.
  ///   - limit: the most bytes that the value may have.
  /// - Throws: `result-too-large`, as soon as that is known; the writer then holds a part of the value.
  public func write(to writer: inout JSONWriter, limit: Int = .max) throws(QueryError) {
    let (end, overflow) = writer.bytes.count.addingReportingOverflow(limit)
    try write(to: &writer, maximumBytes: overflow ? .max : end)
  }

  func write(to writer: inout JSONWriter, maximumBytes: Int) throws(QueryError) {
    switch self {
    case .null: writer.writeNull()
    case .bool(let value): writer.write(value)
    case .int(let value): writer.write(value)
    case .double(let value): writer.write(value)
    case .string(let value): writer.write(value)
    case .array(let elements):
      writer.beginArray()
      for element in elements { try element.write(to: &writer, maximumBytes: maximumBytes) }
      writer.endArray()
    case .object(let object):
      writer.beginObject()
      for index in object.indices {
        writer.key(object.keys[index])
        try object.contents[index].write(to: &writer, maximumBytes: maximumBytes)
      }
      writer.endObject()
    case .elements(let elements):
      try writer.write(.array(elements), maximumBytes: maximumBytes)
    case .members(let object):
      try writer.write(.object(object), maximumBytes: maximumBytes)
    case .node(let node, let scope):
      try node.write(scope, to: &writer, maximumBytes: maximumBytes)
    }
    try writer.check(maximumBytes: maximumBytes)
  }
}

extension JSONWriter {
  /// Writes a plain value, and stops as soon as it holds more than `maximumBytes`.
  ///
  /// - Throws: `result-too-large`.
  public mutating func write(_ json: JSON, maximumBytes: Int) throws(QueryError) {
    switch json {
    case .array(let elements):
      beginArray()
      for element in elements { try write(element, maximumBytes: maximumBytes) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object {
        key(member.key)
        try write(member.value, maximumBytes: maximumBytes)
      }
      endObject()
    case .null, .bool, .int, .double, .string:
      write(json)
    }
    try check(maximumBytes: maximumBytes)
  }

  func check(maximumBytes: Int) throws(QueryError) {
    guard bytes.count > maximumBytes else { return }
    throw QueryError(
      .resultTooLarge,
      "the value has more bytes than it may have",
      hint: "ask for fewer records or fewer fields"
    )
  }
}
