import ObsTestSupport
import ObsModel
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
@ObsActor
struct DocumentStorageTests {
  @Test func `Any JSON value can be the document`() throws {
    for value in [.null, true, 3, 3.5, "x", [], [:], [[[]]], ["": ["": [:]]]] as [JSON] {
      #expect(try Document(value).json == value)
    }
  }

  @Test func `Keys are told apart and ordered by their bytes`() throws {
    let keys = ["e\u{301}", "\u{e9}", "\u{ffff}", "\u{10000}", "", "a", "aa", "B"]
    let members = keys.enumerated().map { (key: $1, value: JSON.int(Int64($0))) }
    let document = try Document([:])
    for member in members {
      try document.patch([["op": "add", "path": .string("/" + member.key), "value": member.value]])
    }
    #expect(document.json.description == JSON.object(JSON.Object(members)).description)
    try document.remove("/e\u{301}")
    #expect(document.snapshot(JSONPointer(tokens: ["\u{e9}"])) == 1)
  }

  @Test(arguments: [1, 31, 32, 33, 300, 1000])
  func `Objects of any size keep their members, whatever the order of their coming`(count: Int)
    throws
  {
    var generator = SeededGenerator(seed: testSeed())
    let members = (0..<count).map { (key: "k\($0 * 7 % 1000)", value: JSON.int(Int64($0))) }
    let expected = JSON.object(JSON.Object(members))
    let document = try Document(["o": [:]])
    for member in members.shuffled(using: &generator) {
      try document.add("/o/" + member.key, member.value)
    }
    #expect(document.json == ["o": expected])
    #expect(try Document(expected).json == expected)
    for member in members.shuffled(using: &generator) { try document.remove("/o/" + member.key) }
    #expect(document.json == ["o": [:]])
  }

  @Test func `Names of fields are forgotten with the last record that has them`() throws {
    let document = try Document(["rows": ["a": ["x": 1]], "typing": ["u0": 1]])
    let before = document.nameCounts
    for number in 0..<1000 {
      try document.add("/typing/u\(number + 1)", 1)
      try document.remove("/typing/u\(number)")
      try document.replace(
        "/rows/a",
        .object([("f\(number)", 1)].reduce(into: [:]) { $0[$1.0] = $1.1 })
      )
    }
    #expect(document.nameCounts == before)
    try document.add("", 0)
    #expect(document.nameCounts.names == 0)
  }

  @Test func `A name that was unknown is found when a record has it`() throws {
    let document = try Document(["a": ["x": 1]])
    let name = ReusedName("y")
    #expect(name.read(document, "a") == nil)
    try document.add("/a/y", 2)
    #expect(name.read(document, "a") == 2)
    try document.remove("/a/y")
    #expect(name.read(document, "a") == nil)
    try document.add("/a/z", 3)
    #expect(name.read(document, "a") == nil)
    let other = try Document(["a": ["p": 0, "y": 7]])
    #expect(name.read(other, "a") == 7)
    #expect(name.read(document, "a") == nil)
  }

  @Test func `A document deeper than can be read is refused`() throws {
    func nested(_ depth: Int) -> JSON { (0..<depth).reduce(1) { value, _ in [value] } }
    let deepest = nested(Document.maximumDepth)
    #expect(try Document(deepest).json == deepest)
    let error = #expect(throws: CommitError.self) { try Document([deepest]) }
    #expect(error?.code == .tooLarge && error?.limit == "depth")
    #expect(throws: CommitError.self) { try Document(["x": .double(.nan)]) }
  }
}
