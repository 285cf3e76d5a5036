import Foundation
import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FoundationFormsTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (1_770_091_446.789, "2026-02-03T04:04:06.789Z"),
    (-0.001, "1969-12-31T23:59:59.999Z"), (253_402_300_799, "9999-12-31T23:59:59.000Z"),
    (951_782_400.5, "2000-02-29T00:00:00.500Z"), (0.9996, "1970-01-01T00:00:01.000Z"),
  ])
  func `a date is ISO 8601 with milliseconds`(seconds: Double, text: String) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try JSONCoding.json(date) == .string(text))
    let back = try JSONCoding.decode(Date.self, from: .string(text))
    #expect(abs(back.timeIntervalSince(date)) <= 0.0005)
    #expect(try JSONCoding.json(back) == .string(text))
  }

  @Test(arguments: [
    ("2026-02-03T04:05:06Z", 0.0), ("2026-02-03T05:05:06+01:00", 0),
    ("2026-02-03T04:05:06.5Z", 0.5), ("2026-02-03T04:05:06.789123Z", 0.789123),
  ])
  func `a date is read with any fraction and offset`(text: String, fraction: Double) throws {
    let date = try JSONCoding.decode(Date.self, from: .string(text))
    #expect(abs(date.timeIntervalSince1970 - (1_770_091_506 + fraction)) < 0.001)
  }

  @Test func `any date of our time keeps its milliseconds`() throws {
    try withSeed { generator in
      var last = ""
      var milliseconds: Int64 = 0
      for _ in 0..<5000 {
        milliseconds += .random(in: 1...1_000_000_000, using: &generator)
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        let json = try JSONCoding.json(date)
        let back = try JSONCoding.decode(Date.self, from: json)
        #expect(Int64((back.timeIntervalSince1970 * 1000).rounded()) == milliseconds)
        let text = try #require(json.stringValue)
        #expect(last < text)
        last = text
      }
    }
  }

  @Test(arguments: [
    "", "2026-02-03", "2026-02-03T04:05:06", "2026-02-03 04:05:06Z", "2026-02-30T04:05:06Z",
    "2025-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
    "2026-02-03T24:00:00Z", "2026-02-03T04:60:00Z", "2026-02-03T04:05:60Z", "2026-02-03T04:05:06.Z",
    "2026-02-03T04:05:06Zx", "2026-02-03T04:05:06+1:00", "2026-02-03T04:05:06+24:00",
    "0000-01-01T00:00:00Z", "99999-01-01T00:00:00Z",
    "2026-02-03T04:05:06.\(String(repeating: "1", count: 99))Z",
  ])
  func `what is no time stamp is no date`(text: String) {
    #expect(throws: JSONDecodingError.self) {
      try JSONCoding.decode(Date.self, from: .string(text))
    }
  }

  @Test func `time stamps agree with Foundation's calendar`() throws {
    let format = Date.ISO8601FormatStyle()
    try withSeed { generator in
      for _ in 0..<3000 {
        // From 1600, since Foundation changes to the Julian calendar before it.
        let seconds = Int64.random(in: -11_676_096_000..<253_402_300_800, using: &generator)
        let date = Date(timeIntervalSince1970: Double(seconds))
        let text = format.format(date)
        #expect(try JSONCoding.json(date) == .string(text.replacing("Z", with: ".000Z")))
        let back = try JSONCoding.decode(Date.self, from: .string(text))
        #expect(back == date)
      }
    }
  }

  @Test func `a date that has no such text is refused`() throws {
    #expect(try JSONCoding.json(Date.distantFuture) == "4001-01-01T00:00:00.000Z")
    for seconds in [253_402_300_800, -62_135_596_801, 1e300, -1e300, .infinity, -.infinity, .nan] {
      #expect(throws: JSONEncodingError.self) {
        try JSONCoding.encode([Date(timeIntervalSince1970: seconds)])
      }
    }
  }

  @Test func `data, URLs, UUIDs and decimals are text`() throws {
    struct All: Codable, Equatable {
      var data: Data
      var url: URL
      var uuid: UUID
      var decimal: Decimal
    }
    let all = All(
      data: Data([0, 1, 255]),
      url: try #require(URL(string: "https://example.org/a?b=c")),
      uuid: try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
      decimal: try #require(Decimal(string: "12345678901234567890.123"))
    )
    let json = try JSONCoding.json(all)
    #expect(
      json == [
        "data": "AAH/", "url": "https://example.org/a?b=c",
        "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "decimal": "12345678901234567890.123",
      ]
    )
    #expect(try JSONCoding.decode(All.self, from: json) == all)
    #expect(try JSONCoding.decode(Decimal.self, from: 3) == 3)
    #expect(try JSONCoding.decode(Decimal.self, from: 0.25) == Decimal(string: "0.25"))
  }

  @Test func `what is none of them is refused by name`() {
    func message<T: Decodable>(_ type: T.Type, _ json: JSON) -> String? {
      #expect(throws: JSONDecodingError.self) {
        try JSONCoding.decode([String: T].self, from: ["at": json])
      }?
      .message
    }
    #expect(
      message(Date.self, "yesterday")
        == "argument `at` must be a date such as 2026-02-03T04:05:06.789Z"
    )
    #expect(message(Date.self, 5) == "argument `at` must be a string, but is an integer")
    #expect(message(Data.self, "?") == "argument `at` must be base64")
    #expect(message(UUID.self, "x") == "argument `at` must be a UUID")
    #expect(message(URL.self, "") == "argument `at` must be a URL")
    #expect(message(Decimal.self, "12x") == "argument `at` must be a decimal number")
    #expect(message(Decimal.self, "x") == "argument `at` must be a decimal number")
  }
}
