/// Integers of every width: exact, or refused.
protocol DirectlyCodedInteger: FixedWidthInteger, Codable, DirectlyCoded {}

extension Int: DirectlyCodedInteger {}
extension Int8: DirectlyCodedInteger {}
extension Int16: DirectlyCodedInteger {}
extension Int32: DirectlyCodedInteger {}
extension Int64: DirectlyCodedInteger {}
extension UInt: DirectlyCodedInteger {}
extension UInt8: DirectlyCodedInteger {}
extension UInt16: DirectlyCodedInteger {}
extension UInt32: DirectlyCodedInteger {}
extension UInt64: DirectlyCodedInteger {}

extension DirectlyCodedInteger {
  func json(at path: () -> CodingPath) throws -> JSON {
    guard let value = Int64(exactly: self) else {
      throw .problem(self, "must be at most \(Int64.max), but is \(self)", at: path())
    }
    return .int(value)
  }

  init(json: JSON, at path: () -> CodingPath) throws {
    switch json {
    case .int(let value):
      guard let exact = Self(exactly: value) else { throw Self.outOfRange(json, at: path()) }
      self = exact
    case .double(let value):
      guard value.rounded() == value else {
        throw .problem("must be an integer, but is \(value)", at: path())
      }
      guard let exact = Self(exactly: value) else { throw Self.outOfRange(json, at: path()) }
      self = exact
    default:
      throw .mismatch("an integer", json, at: path())
    }
  }

  private static func outOfRange(_ json: JSON, at path: CodingPath) -> DecodingError {
    .problem("must be an integer from \(min) to \(max), but is \(json)", at: path)
  }
}
