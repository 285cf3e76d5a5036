import ObsModel
import ObsWire
import Testing

/// What a refused commit says: code, operation, pointer, and words that name the place.
@Suite(.timeLimit(.minutes(5)))
@ObsActor
struct DocumentErrorTests {
  struct Refusal: Sendable {
    var operation: JSON
    var code: ErrorCode
    var pointer: String?
    var words: String
  }

  nonisolated static let refusals: [Refusal] = [
    .init(operation: 7, code: .patchFailed, words: "must be an object"),
    .init(operation: ["path": ""], code: .patchFailed, words: "no `op`"),
    .init(operation: ["op": "add", "value": 1], code: .patchFailed, words: "no `path`"),
    .init(operation: ["op": "add", "path": 3, "value": 1], code: .patchFailed, words: "a string"),
    .init(
      operation: ["op": "set", "path": "/a"],
      code: .patchFailed,
      pointer: "/a",
      words: "`set`"
    ),
    .init(
      operation: ["op": 5, "path": "/a"],
      code: .patchFailed,
      pointer: "/a",
      words: "an integer"
    ),
    .init(
      operation: ["op": "add", "path": "/a"],
      code: .patchFailed,
      pointer: "/a",
      words: "`value`"
    ),
    .init(
      operation: ["op": "test", "path": "/a"],
      code: .patchFailed,
      pointer: "/a",
      words: "`value`"
    ),
    .init(operation: ["op": "move", "path": "/a"], code: .patchFailed, words: "no `from`"),
    .init(
      operation: ["op": "add", "path": "/a", "value": 1, "ifAbsent": "yes"],
      code: .patchFailed,
      pointer: "/a",
      words: "`ifAbsent` must be a boolean"
    ),
    .init(
      operation: ["op": "add", "path": "a", "value": 1],
      code: .patchFailed,
      pointer: "a",
      words: "begins with `/`"
    ),
    .init(
      operation: ["op": "add", "path": "/a~2", "value": 1],
      code: .patchFailed,
      pointer: "/a~2",
      words: "`~0` is `~`"
    ),
    .init(
      operation: ["op": "add", "path": "/x/y", "value": 1],
      code: .patchFailed,
      pointer: "/x/y",
      words: "the document has no member `x`"
    ),
    .init(
      operation: ["op": "replace", "path": "/map/nope", "value": 1],
      code: .patchFailed,
      pointer: "/map/nope",
      words: "`/map` has no member `nope`"
    ),
    .init(
      operation: ["op": "remove", "path": "/map/a/b"],
      code: .patchFailed,
      pointer: "/map/a/b",
      words: "`/map/a` is an integer"
    ),
    .init(
      operation: ["op": "add", "path": "/list/4", "value": 1],
      code: .patchFailed,
      pointer: "/list/4",
      words: "index 4 is past the end of `/list`, which has 3 elements"
    ),
    .init(
      operation: ["op": "add", "path": "/list/99999999999999999999", "value": 1],
      code: .patchFailed,
      pointer: "/list/99999999999999999999",
      words: "past the end"
    ),
    .init(
      operation: ["op": "replace", "path": "/list/3", "value": 1],
      code: .patchFailed,
      pointer: "/list/3",
      words: "past the end"
    ),
    .init(
      operation: ["op": "replace", "path": "/list/-", "value": 1],
      code: .patchFailed,
      pointer: "/list/-",
      words: "behind the last element"
    ),
    .init(
      operation: ["op": "remove", "path": "/list/01"],
      code: .patchFailed,
      pointer: "/list/01",
      words: "without leading zeros"
    ),
    .init(
      operation: ["op": "remove", "path": "/list/-1"],
      code: .patchFailed,
      pointer: "/list/-1",
      words: "is no index"
    ),
    .init(
      operation: ["op": "remove", "path": "/list/1e0"],
      code: .patchFailed,
      pointer: "/list/1e0",
      words: "is no index"
    ),
    .init(
      operation: ["op": "add", "path": "/list/", "value": 1],
      code: .patchFailed,
      pointer: "/list/",
      words: "is no index"
    ),
    .init(
      operation: ["op": "remove", "path": ""],
      code: .patchFailed,
      pointer: "",
      words: "cannot be removed"
    ),
    .init(
      operation: ["op": "move", "from": "/map", "path": "/map/b"],
      code: .patchFailed,
      pointer: "/map/b",
      words: "cannot be moved into itself"
    ),
    .init(
      operation: ["op": "copy", "from": "/nope", "path": "/b"],
      code: .patchFailed,
      pointer: "/nope",
      words: "no member `nope`"
    ),
    .init(
      operation: ["op": "test", "path": "/map/a", "value": 2],
      code: .conflict,
      pointer: "/map/a",
      words: "has another value"
    ),
    .init(
      operation: ["op": "test", "path": "/map/b", "value": .null],
      code: .conflict,
      pointer: "/map/b",
      words: "no member `b`"
    ),
    .init(
      operation: ["op": "add", "path": "/map/a", "value": 2, "ifAbsent": true],
      code: .conflict,
      pointer: "/map/a",
      words: "there already"
    ),
    .init(
      operation: ["op": "add", "path": "/map/a", "value": ["x": [1, .double(.infinity)]]],
      code: .numberRange,
      pointer: "/map/a/x/1",
      words: "no JSON number"
    ),
  ]

  @Test(arguments: refusals)
  func `A refusal names operation and place, and nothing has happened`(refusal: Refusal) throws {
    let before: JSON = ["map": ["a": 1], "list": [1, 2, 3]]
    let document = try Document(before)
    let error = #expect(throws: CommitError.self) {
      try document.patch([["op": "add", "path": "/new", "value": 1], refusal.operation])
    }
    #expect(error?.code == refusal.code)
    #expect(error?.op == 1)
    if let pointer = refusal.pointer { #expect(error?.pointer == pointer) }
    #expect(error?.message.contains(refusal.words) == true, "\(error?.message ?? "")")
    #expect(document.json == before)
    #expect(document.seq == 0)
    #expect(error?.wire.json["extensions"]?["op"] == 1)
  }

  @Test func `A patch that is no list is refused`() {
    #expect(
      throws: CommitError(.patchFailed, "a patch must be a list of operations, but is an object")
    ) { try Commit(patch: ["op": "add"]) }
  }

  @Test func `Hosted models and the server's names cannot be written`() throws {
    var reserved = ReservedNames(hosted: ["board"], reservesUnderscore: true)
    let refused: [(JSON, ErrorCode)] = [
      (["op": "add", "path": "/board/items/i1", "value": 1], .readOnly),
      (["op": "add", "path": "/board", "value": 1], .readOnly),
      (["op": "move", "from": "/a", "path": "/board"], .readOnly),
      (["op": "move", "from": "/board", "path": "/b"], .readOnly),
      (["op": "copy", "from": "/a", "path": "/_server"], .forbidden),
      (["op": "copy", "from": "/a", "path": ""], .forbidden),
      (["op": "replace", "path": "", "value": ["b": 1, "board": 2]], .readOnly),
      (["op": "remove", "path": "/_server/x"], .forbidden),
    ]
    for (operation, code) in refused {
      let test: JSON = ["op": "test", "path": "/board", "value": 1]
      let error = #expect(throws: CommitError.self) {
        try reserved.check(Commit(patch: [test, operation]))
      }
      #expect(error?.code == code && error?.op == 1, "\(operation)")
    }
    for (place, value) in [("", ["board": .null]), ("/board", ["x": 1])] as [(String, JSON)] {
      let error = #expect(throws: CommitError.self) {
        try reserved.check(Commit(merge: value, at: JSONPointer(place)))
      }
      #expect(error?.code == .readOnly)
    }
    reserved.remove("board")
    try reserved.check(Commit(patch: [["op": "add", "path": "/board", "value": 1]]))
  }

  @Test func `Admission limits are refused with their name`() throws {
    let document = try Document(["a": [1, 2, 3]])
    let limits = CommitLimits(operations: 2, depth: 3, copiedValues: 10)
    let many = try Commit(
      patch: .array(Array(repeating: ["op": "test", "path": "/a/0", "value": 1], count: 3))
    )
    #expect(throws: CommitError.self) { try many.check(limits) }
    var error = #expect(throws: CommitError.self) { try many.check(limits) }
    #expect(error?.code == .tooLarge && error?.limit == "operations")
    for operation in [
      ["op": "replace", "path": "", "value": 1], ["op": "remove", "path": ""],
      ["op": "move", "from": "/a", "path": ""],
    ] as [JSON] {
      error = #expect(throws: CommitError.self) { try Commit(patch: [operation]).check(limits) }
      #expect(error?.code == .forbidden && error?.op == 0)
    }
    try Commit(merge: ["a": 1]).check(limits)
    let deep = try Commit(patch: [["op": "add", "path": "/a/-", "value": [[1]]]])
    error = #expect(throws: CommitError.self) { try document.apply(deep, limits: limits) }
    #expect(error?.code == .tooLarge && error?.limit == "depth")
    let bomb = try Commit(
      patch: .array((0..<64).map { ["op": "copy", "from": "", "path": .string("/b\($0)")] })
    )
    error = #expect(throws: CommitError.self) { try document.apply(bomb, limits: limits) }
    #expect(error?.code == .tooLarge && error?.limit == "copied-values")
    #expect(document.json == ["a": [1, 2, 3]])
  }

  @Test func `No commit can nest deeper than a document can be read`() throws {
    let document = try Document(["a": ["x": 1], "b": ["x": 1]])
    // Each copy puts the whole into itself, each move one half under the other.
    for path in ["/a/x", "/a/x/a/x"] {
      try document.patch([["op": "copy", "from": "", "path": .string(path)]])
    }
    let error = #expect(throws: CommitError.self) {
      for _ in 0..<64 {
        try document.patch([
          ["op": "copy", "from": "/a", "path": "/b/c"], ["op": "move", "from": "/b", "path": "/a"],
          ["op": "add", "path": "/b", "value": [:]],
        ])
      }
      for _ in 0..<2000 {
        try document.patch([
          ["op": "add", "path": "/b/c", "value": [:]],
          ["op": "move", "from": "/a", "path": "/b/c/d"],
          ["op": "move", "from": "/b", "path": "/a"], ["op": "add", "path": "/b", "value": [:]],
        ])
      }
    }
    #expect(error?.limit == "depth")
    #expect(document.json.description.isEmpty == false)
  }
}
