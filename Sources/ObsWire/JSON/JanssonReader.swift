import CJansson

/// Parses with jansson, copies into ``JSON``, and releases jansson's tree before it returns.
///
/// The only file that touches jansson. No `json_t` leaves it, so no lifetime has to be reasoned about elsewhere.
enum JanssonReader {
  /// jansson's own bound of nesting (`JSON_PARSER_MAX_DEPTH`).
  static let maximumDepth = 2048

  /// From this many bytes on it is worth while to give the tree's memory back to the system.
  private static let largeText = 1 << 20

  /// Seeds jansson's hash tables once, before the first table is made, so that collisions cannot be prepared.
  private static let seeded: Void = json_object_seed(0)

  static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
    _ = seeded
    let flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY
    var failure = json_error_t()
    let loaded = unsafe bytes.withUnsafeBytes { buffer in
      unsafe json_loadb(
        buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
        buffer.count,
        Int(flags),
        &failure
      )
    }
    guard let root = unsafe loaded else { throw error(failure, in: bytes) }
    defer {
      unsafe json_decref(root)
      if bytes.count > largeText { cjansson_return_memory() }
    }
    return unsafe copy(root)
  }

  /// Recursion is bounded by jansson's own bound of nesting.
  private static func copy(_ value: UnsafeMutablePointer<json_t>) -> JSON {
    switch unsafe json_type(UInt32(cjansson_type(value))) {
    case JSON_OBJECT: unsafe .object(copyMembers(value))
    case JSON_ARRAY: unsafe .array(copyElements(value))
    case JSON_STRING:
      unsafe .string(text(json_string_value(value), json_string_length(value)))
    case JSON_INTEGER: unsafe .int(Int64(json_integer_value(value)))
    case JSON_REAL: unsafe .double(json_real_value(value))
    case JSON_TRUE: .bool(true)
    case JSON_FALSE: .bool(false)
    default: .null
    }
  }

  private static func copyMembers(_ object: UnsafeMutablePointer<json_t>) -> JSON.Object {
    var members: [JSON.Object.Member] = []
    unsafe members.reserveCapacity(json_object_size(object))
    var iterator = unsafe json_object_iter(object)
    while let member = unsafe iterator {
      let key = unsafe text(json_object_iter_key(member), json_object_iter_key_len(member))
      if let value = unsafe json_object_iter_value(member) {
        unsafe members.append((key, copy(value)))
      }
      unsafe iterator = unsafe json_object_iter_next(object, member)
    }
    return JSON.Object(unsorted: members)
  }

  private static func copyElements(_ array: UnsafeMutablePointer<json_t>) -> [JSON] {
    let count = unsafe json_array_size(array)
    var elements: [JSON] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      if let element = unsafe json_array_get(array, index) {
        unsafe elements.append(copy(element))
      }
    }
    return elements
  }

  /// Length and not the terminator decides: U+0000 is legal inside JSON text.
  private static func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private static func error(_ failure: json_error_t, in bytes: [UInt8]) -> JSONError {
    var failure = failure
    let code = unsafe json_error_code(&failure)
    let message = unsafe withUnsafeBytes(of: &failure.text) { text in
      unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
    var offset = Int(failure.position)
    let kind: JSONError.Kind
    switch code {
    case json_error_stack_overflow: kind = .tooDeep(limit: maximumDepth)
    case json_error_duplicate_key: kind = .duplicateKey
    case json_error_invalid_utf8: kind = .invalidUTF8
    case json_error_null_byte_in_key: kind = .nulInKey
    case json_error_out_of_memory: kind = .outOfMemory
    case json_error_numeric_overflow:
      kind = .numberRange
      // jansson names the end of the number; its start is the useful place.
      offset = min(offset, bytes.count)
      while offset > 0, isPartOfNumber(bytes[offset - 1]) { offset -= 1 }
    default: kind = .syntax
    }
    return JSONError(kind, message, at: offset, in: bytes)
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
