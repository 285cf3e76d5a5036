import FoundationEssentials

extension Date: DirectlyCoded {
  private static let precise = ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let plain = ISO8601FormatStyle()

  func json(at path: () -> CodingPath) throws -> JSON {
    .string(Self.precise.format(self))
  }

  init(json: JSON, at path: () -> CodingPath) throws {
    let text = try String(json: json, at: path)
    guard let date = (try? Self.precise.parse(text)) ?? (try? Self.plain.parse(text)) else {
      throw .problem("must be a date such as 2026-02-03T04:05:06.789Z", at: path())
    }
    self = date
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
      guard let decimal = Decimal(string: text) else {
        throw .problem("must be a decimal number", at: path())
      }
      self = decimal
    }
  }
}
