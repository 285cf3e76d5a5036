import ObsModel
import ObsTestSupport
import ObsWire
import Testing

/// A snapshot is of one moment, whatever happens while it is written.
@Suite(.timeLimit(.minutes(3)))
@ObsActor
struct DocumentSnapshotTests {
  @Test
  func `A snapshot that is written while commits go on is the document of its beginning`() throws {
    var generator = SeededGenerator(seed: testSeed())
    var between = 0
    for _ in 0..<150 {
      let document = try Document(.randomDocument(using: &generator))
      for _ in 0..<3 {
        let (json, seq, lines) = (document.json, document.seq, try document.quietLines())
        let snapshot = document.beginSnapshot()
        var written: [[UInt8]] = []
        while let line = snapshot.next() {
          written.append(line)
          for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let operation = JSON.randomOperation(on: document.json, using: &generator)
            if (try? document.patch([operation])) != nil { between += 1 }
          }
        }
        #expect(snapshot.seq == seq)
        try #require(written == lines)
        let restored = try Document.restored(written, seq: seq)
        try #require(restored.json.description == json.description)
        #expect(restored.seq == seq)
        try #require(try restored.quietLines() == lines)
      }
    }
    #expect(between > 1000)
  }

  private nonisolated static func map(_ count: Int64, _ value: (Int64) -> JSON) -> JSON {
    .object(JSON.Object((0..<count).map { (key: "k\($0)", value: value($0)) }))
  }

  /// Containers of more than one line: a map, a list, a list of large lists, and a collection below another.
  private static let large: JSON = [
    "map": map(5000) { ["n": .int($0), "text": "a text of some length"] },
    "list": .array((0..<4000).map { .int($0) }),
    "lists": .array((0..<3).map { _ in .array((0..<1500).map { .string("\($0)") }) }),
    "deep": ["deeper": map(1200) { _ in 0.5 }],
    "small": ["a": [1, 2.0, .null, true, "x"], "empty": [], "none": [:]],
  ]

  @Test func `Large containers take many lines, each of bounded length`() throws {
    let document = try Document(Self.large)
    let lines = try document.quietLines()
    #expect(lines.count > 15)
    #expect(lines.allSatisfy { $0.count < 64 * 1024 && $0.last == UInt8(ascii: "\n") })
    let restored = try Document.restored(lines, seq: 0)
    #expect(restored.json == Self.large)
    try restored.replace("/map/k7/n", "seven")
    #expect(restored.json["map"]?["k7"]?["n"] == "seven")
  }

  @Test func `Every line may be followed by the removal of all`() throws {
    let whole = try Document(Self.large)
    let lines = try whole.quietLines()
    for removed in 0..<lines.count {
      let document = try Document(Self.large)
      let snapshot = document.beginSnapshot()
      var written: [[UInt8]] = []
      while let line = snapshot.next() {
        written.append(line)
        if written.count == removed {
          try document.apply(Commit(merge: ["map": .null, "lists": .null]))
        }
        if written.count == removed + 2 {
          try document.apply(Commit(merge: ["deep": ["deeper": [:]]]))
        }
      }
      try #require(written == lines)
    }
  }

  @Test func `Equal documents have equal lines, whatever their history`() throws {
    let made = try Document(Self.large)
    let grown = try Document([:])
    var slices = ImportSlices(Self.large)
    while let commit = try slices.next(values: 700) { try grown.apply(commit) }
    func content(_ document: Document) throws -> [[UInt8]] {
      try document.quietLines().filter { !$0.starts(with: #"{"marks"#.utf8) }
        .prefix { !$0.starts(with: #"{"collection"#.utf8) }
    }
    #expect(try content(grown) == content(made))
  }

  @Test(
    arguments: [
      .null, true, 7, "text", [], [:], [[], [[]]], -0.0, 1e300, ["é": 1, "e\u{301}": 2],
    ] as [JSON]
  )
  func `Any value can be a document`(value: JSON) throws {
    let document = try Document(value)
    #expect(try document.restored().json.description == value.description)
  }

  @Test func `A snapshot that was let go of can be followed by another`() throws {
    let document = try Document(Self.large)
    let snapshot = document.beginSnapshot()
    _ = snapshot.next()
    snapshot.end()
    #expect(try document.restored().json == Self.large)
  }

  @Test(arguments: [
    #"{"members":{"a":1}}"#, #"{"end":true}"#,
    #"{"marks":{"changed":0,"base":0,"removal":0}}"#,
    "[]",
    #"{"root":{}}{"elements":[1]}"#, #"{"root":[]}{"members":{}}"#, #"{"root":{}}{"root":{}}"#,
    #"{"root":{}}{"object":7}"#,
    #"{"root":[]}{"object":"key"}"#,
    #"{"root":{}}{"end":true}{"end":true}"#,
    #"{"root":1}{"records":{"a":1}}"#, #"{"root":1}{"marks":{"changed":"x"}}"#, #"{"root":1}"#,
    #"{"root":{}}"#, #"{"other":1}"#,
  ])
  func `Lines that make no document are refused`(text: String) throws {
    let lines = text.replacing("}{", with: "}\n{").split(separator: "\n").map { Array($0.utf8) }
    let error = #expect(throws: CommitError.self) { try Document.restored(lines, seq: 0) }
    #expect(error?.code == .invalidValue)
  }
}

extension Document {
  /// The lines of a snapshot that nothing disturbs.
  fileprivate func quietLines() throws -> [[UInt8]] {
    let snapshot = beginSnapshot()
    var lines: [[UInt8]] = []
    while let line = snapshot.next() { lines.append(line) }
    return lines
  }

  fileprivate static func restored(_ lines: [[UInt8]], seq: Int64) throws -> Document {
    let restoration = DocumentRestoration(seq: seq)
    for line in lines { try restoration.take(JSON(parsing: line)) }
    return try restoration.document()
  }

  /// What a snapshot makes of the document.
  func restored() throws -> Document { try Document.restored(quietLines(), seq: seq) }
}
