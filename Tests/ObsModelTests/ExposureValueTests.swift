import Foundation
import ObsModel
import ObsQuery
import ObsWire
import Observation
import Testing

/// Every type that a field may have, as clients see it.
@Suite("Exposure: values", .timeLimit(.minutes(5)))
@ObsActor
struct ExposureValueTests {
  @Test("Scalars have the form that JSONCoding gives them")
  func scalars() throws {
    #expect(try written(true) == "true")
    #expect(try written("é\n") == #""é\n""#)
    #expect(try written("text".dropFirst()) == #""ext""#)
    #expect(try written(0.1) == "0.1")
    #expect(try written(Float(0.1)) == "0.1")
    #expect(try written(3.0) == "3.0")
    let date = Date(timeIntervalSince1970: 1_770_091_446.789)
    #expect(try written(date) == #""2026-02-03T04:04:06.789Z""#)
    let uuid = try #require(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
    #expect(try written(uuid) == #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#)
    let url = try #require(URL(string: "https://swift.org/a?b=c"))
    #expect(try written(url) == #""https://swift.org/a?b=c""#)
    #expect(try written(Decimal(string: "12.50")) == #""12.5""#)
    #expect(try written(Data([1, 2, 3])) == #""AQID""#)
    #expect(try written(["b": [1, .null], "a": 2.5] as JSON) == #"{"a":2.5,"b":[1,null]}"#)
  }

  @Test("Integers of every width are exact")
  func integers() throws {
    #expect(try written(Int.min) == "-9223372036854775808")
    #expect(try written(Int64.max) == "9223372036854775807")
    #expect(try written(Int8.min) == "-128")
    #expect(try written(Int16.min) == "-32768")
    #expect(try written(Int32.min) == "-2147483648")
    #expect(try written(UInt8.max) == "255")
    #expect(try written(UInt16.max) == "65535")
    #expect(try written(UInt32.max) == "4294967295")
    #expect(try written(UInt(Int.max)) == "9223372036854775807")
  }

  @Test("What JSON has no number or text for is null, never rounded")
  func unrepresentable() throws {
    #expect(try written(UInt64.max) == "null")
    #expect(try written(UInt.max) == "null")
    #expect(try written(Double.nan) == "null")
    #expect(try written(-Double.infinity) == "null")
    #expect(try written(Float.infinity) == "null")
    #expect(try written(Decimal.nan) == "null")
    #expect(try written(Date.distantPast - 1e12) == "null")
  }

  @Test("Optionals, arrays and dictionaries hold what a field may have, one in the other")
  func containers() throws {
    #expect(try written(Int?.none) == "null")
    #expect(try written(Int??.some(.some(3))) == "3")
    #expect(try written([1, nil, 3]) == "[1,null,3]")
    #expect(try written([[1], [], [2, 3]]) == "[[1],[],[2,3]]")
    #expect(try written(["b": 1, "a": 2]) == #"{"a":2,"b":1}"#)
    #expect(try written(["b": [1.5], "a": nil]) == #"{"a":null,"b":[1.5]}"#)
    #expect(try written([String]()) == "[]")
    #expect(try written([String: Int]()) == "{}")
  }

  @Test("Enums with raw values are their raw values, also in optionals and arrays")
  func enums() throws {
    let board = Levels()
    #expect(
      try Value(exposing: board).written()
        == #"{"all":["low","high"],"codes":[404],"level":"low","nested":{"a":"high"},"other":null}"#
    )
  }

  @Test("Objects and structs are written with the fields of their schemas, and nil ones are null")
  func nested() throws {
    let board = Tracker("a")
    board.lead = Person("Ada", "L")
    board.lead?.pet = Pet("Rex")
    board.items[0].effort = Effort(hours: 2, notes: ["n"])
    #expect(
      try Value(exposing: board)["lead"].written()
        == #"{"homePage":null,"name":"Ada L","pet":{"name":"Rex"}}"#
    )
    #expect(
      try Value(exposing: board.items).written()
        == #"[{"assignee":null,"effort":{"hours":2.0,"notes":["n"]},"labels":[],"state":"open","#
        + #""title":"a","urgent":false}]"#
    )
  }

  @Test("What has no field does not exist")
  func absent() throws {
    let board = Tracker("a")
    let value = Value(exposing: board)
    #expect(value["secret"].json == .null)
    #expect(try Asking("board.secret", ["board": value]).answer() == "null")
    #expect(try Asking("keys(board)", ["board": value]).answer().contains("secret") == false)
    #expect(try Asking("lookup(board, 'secret')", ["board": value]).answer() == "null")
    #expect(try Asking("board.items[0].board", ["board": value]).answer() == "null")
    #expect(try Asking("board.items[7].title", ["board": value]).answer() == "null")
    #expect(try Asking("board.items.title", ["board": value]).answer() == "null")
    #expect(try Asking("board[0]", ["board": value]).answer() == "null")
  }

  @Test("A copy is the same JSON as what is written")
  func copies() throws {
    let board = Tracker("a", "b")
    board.lead = Person("Ada", "L")
    board.rooms = ["b": 2, "a": 1]
    let value = Value(exposing: board)
    #expect(try value.written() == value.json.description)
  }

  private func written(_ content: some Exposable) throws -> String {
    try Value(exposing: content).written()
  }
}

@ObsActor @Observable
private final class Levels {
  enum Level: String { case low, high }
  enum Code: Int { case notFound = 404 }

  var level = Level.low
  var other: Level?
  var all = [Level.low, .high]
  var codes = [Code.notFound]
  var nested = ["a": Level.high]
}

// Deeper than the fields' own enums: one line.
extension Levels.Level: Exposable {}

extension Levels: @ObsActor Exposed {
  static let schema = Schema<Levels> {
    Field("level", \.level)
    Field("other", \.other)
    Field("all", \.all)
    Field("codes", \.codes)
    Field("nested", \.nested)
  }
}
