import FoundationEssentials

extension Date: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    guard let exact = Int64(exactly: milliseconds), Timestamp.range.contains(exact) else {
      throw .problem(self, "must be a date of the years 1 to 9999", at: path())
    }
    return .string(Timestamp.text(milliseconds: exact))
  }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard let seconds = Timestamp.seconds(try String(json: json, at: path)) else {
      throw .problem("must be a date such as 2026-02-03T04:05:06.789Z", at: path())
    }
    self.init(timeIntervalSince1970: seconds)
  }
}

extension Data: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON { .string(base64EncodedString()) }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard let data = Data(base64Encoded: try String(json: json, at: path)) else {
      throw .problem("must be base64", at: path())
    }
    self = data
  }
}

extension URL: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON { .string(absoluteString) }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard let url = URL(string: try String(json: json, at: path)) else {
      throw .problem("must be a URL", at: path())
    }
    self = url
  }
}

extension UUID: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON { .string(uuidString) }

  init(json: JSON, at path: () -> CodingPath) throws {
    guard let uuid = UUID(uuidString: try String(json: json, at: path)) else {
      throw .problem("must be a UUID", at: path())
    }
    self = uuid
  }
}

extension Decimal: DirectlyCoded {
  func json(at path: () -> CodingPath) throws -> JSON {
    guard isFinite else { throw .problem(self, "must be finite, but is \(self)", at: path()) }
    return .string(description)
  }

  init(json: JSON, at path: () -> CodingPath) throws {
    switch json {
    case .int(let value): self.init(value)
    default:
      let text = try json.doubleValue?.description ?? String(json: json, at: path)
      // `Decimal(string:)` reads as far as it can, and would take `12x` for 12.
      guard (try? /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/.wholeMatch(in: text)) != nil,
        let decimal = Decimal(string: text)
      else {
        throw .problem("must be a decimal number", at: path())
      }
      self = decimal
    }
  }
}
