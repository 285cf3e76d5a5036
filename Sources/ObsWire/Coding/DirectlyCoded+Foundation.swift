import FoundationEssentials

extension Date: DirectlyCoded {
  private static let precise = ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let plain = ISO8601FormatStyle()
  /// From the first to the last moment whose year has four digits; `distantPast` and `distantFuture` are inside.
  private static let writable = -62_135_769_600.0..<253_402_300_800.0

  func json(at path: () -> CodingPath) throws -> JSON {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    guard Self.writable.contains(milliseconds / 1000) else {
      throw .problem(self, "must be a date of the years 1 to 9999", at: path())
    }
    // The format cuts off what is behind the milliseconds, and most milliseconds are not exact in a Double.
    let date = Date(timeIntervalSince1970: (milliseconds + 0.25) / 1000)
    return .string(Self.precise.format(date))
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
