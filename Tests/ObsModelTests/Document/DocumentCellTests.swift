import ObsModel
import ObsQuery
import ObsWire
import Testing

/// What wakes a query, and what does not; counted in evaluations.
@Suite(.timeLimit(.minutes(5)))
@ObsActor
struct DocumentCellTests {
  nonisolated static let board: JSON = [
    "issues": [
      "i01": [
        "title": "Crash", "state": "open", "votes": 3, "labels": ["bug"], "by": ["name": "kim"],
      ],
      "i02": ["title": "Theme", "state": "open", "votes": 1, "labels": []],
      "i03": ["title": "Typo", "state": "closed", "votes": 2],
    ],
    "users": ["u1": ["name": "Ada"]],
    "flags": ["dark": true, "limit": 3],
    "list": [1, ["x": 1], 3],
  ]

  /// Starts a query, makes each change, and compares how often it was evaluated for it.
  private func check<Output: Sendable & Equatable>(
    _ query: @escaping @ObsActor @Sendable (Value) -> Output,
    cells: [String],
    _ changes: [(String, Int, @ObsActor (Document) throws -> Void)],
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let document = try Document(Self.board)
    let watch = DocumentWatch(document, query)
    await nextTurn()
    #expect(watch.tracker.cellNames == cells, sourceLocation: location)
    for (name, expected, change) in changes {
      let evaluations = try await watch.evaluations { try change(document) }
      #expect(evaluations == expected, "\(name)", sourceLocation: location)
      let other = QueryTracker(document)
      #expect(watch.values.last == other.evaluate(query), "\(name)", sourceLocation: location)
      other.end()
    }
    watch.end()
    await nextTurn()
    #expect(document.cellCount == 0, sourceLocation: location)
  }

  @Test func `A point read depends on the one member and the way to it`() async throws {
    try await check(
      { $0.path("issues", "i01", "title").json },
      cells: ["issues", "issues/i01", "issues/i01/title"],
      [
        ("sibling field", 0, { try $0.replace("/issues/i01/votes", 9) }),
        ("other record", 0, { try $0.replace("/issues/i02/title", "T") }),
        ("new record", 0, { try $0.add("/issues/i04", ["title": "N"]) }),
        ("the member", 1, { try $0.replace("/issues/i01/title", "C") }),
        ("an equal value", 0, { try $0.replace("/issues/i01/title", "C") }),
        ("removal", 1, { try $0.remove("/issues/i01/title") }),
        ("arrival", 1, { try $0.add("/issues/i01/title", "D") }),
        ("record replaced, equal in this field", 0, { try $0.add("/issues/i01", ["title": "D"]) }),
        ("record removed", 1, { try $0.remove("/issues/i01") }),
        ("record back", 1, { try $0.add("/issues/i01", ["title": "E"]) }),
        ("record becomes a number", 1, { try $0.add("/issues/i01", 5) }),
        ("record is a record again", 1, { try $0.add("/issues/i01", ["title": "F"]) }),
        (
          "collection moved away", 1,
          { try $0.patch([["op": "move", "from": "/issues", "path": "/old"]]) }
        ),
        ("what was moved", 0, { try $0.replace("/old/i01/title", "x") }),
      ]
    )
  }

  @Test func `A number that becomes an equal one of the other kind wakes nobody`() async throws {
    try await check(
      { $0.path("issues", "i01", "votes").json },
      cells: ["issues", "issues/i01", "issues/i01/votes"],
      [
        ("3 to 3.0", 0, { try $0.replace("/issues/i01/votes", 3.0) }),
        ("3.0 to 3.5", 1, { try $0.replace("/issues/i01/votes", 3.5) }),
      ]
    )
  }

  @Test func `What is absent is depended on until it comes`() async throws {
    try await check(
      { [$0.path("issues", "i09").json, $0.path("flags", "none").json] },
      cells: ["issues", "issues/i09", "flags", "flags/none"],
      [
        ("another record", 0, { try $0.add("/issues/i08", [:]) }),
        ("the record", 1, { try $0.add("/issues/i09", 1) }),
        ("the flag", 1, { try $0.add("/flags/none", .null) }),
      ]
    )
  }

  @Test func `A count depends on the membership only`() async throws {
    try await check(
      { $0.member("issues").count },
      cells: ["issues", "issues (members)"],
      [
        ("a field", 0, { try $0.replace("/issues/i01/title", "C") }),
        ("a field more", 0, { try $0.add("/issues/i01/more", "C") }),
        ("a record replaced", 0, { try $0.add("/issues/i01", ["title": "D"]) }),
        ("a record", 1, { try $0.add("/issues/i04", [:]) }),
        ("no record", 1, { try $0.remove("/issues/i04") }),
        ("another collection", 0, { try $0.add("/users/u2", [:]) }),
      ]
    )
  }

  @Test func `A scan depends on membership and columns, whatever the number of records`()
    async throws
  {
    try await check(
      { root in
        root.member("issues").map {
          $1.member("state").json == "open" ? $1.member("votes").json : ""
        }
      },
      cells: [
        "issues", "issues (members)", "issues (values)", "issues/*/state", "issues/*/votes",
      ],
      [
        ("another column", 0, { try $0.replace("/issues/i01/title", "C") }),
        ("a new column", 0, { try $0.add("/issues/i01/more", ["x": 1]) }),
        ("a deep column", 0, { try $0.add("/issues/i01/labels/-", "new") }),
        ("a column", 1, { try $0.replace("/issues/i02/votes", 7) }),
        ("a column, equal", 0, { try $0.replace("/issues/i02/votes", 7) }),
        (
          "a column of a new record", 1,
          { try $0.add("/issues/i04", ["state": "open", "votes": 1]) }
        ),
        ("the record leaves", 1, { try $0.remove("/issues/i04") }),
        ("a field comes", 1, { try $0.add("/issues/i03/votes", 1) }),
        ("a record replaced, other fields", 0, { try $0.merge("/issues/i01", ["title": "Z"]) }),
        ("two columns at once", 1, { try $0.merge("/issues/i01", ["state": "x", "votes": 2]) }),
        ("a record becomes a number", 1, { try $0.add("/issues/i01", 5) }),
      ]
    )
  }

  @Test func `A column of containers is depended on in depth`() async throws {
    try await check(
      { root in root.member("issues").map { $1.member("labels").count } },
      cells: ["issues", "issues (members)", "issues (values)", "issues/*/labels"],
      [
        ("labels grow", 1, { try $0.add("/issues/i02/labels/-", "new") }),
        ("a label changes", 1, { try $0.replace("/issues/i02/labels/0", "other") }),
        ("labels come", 1, { try $0.add("/issues/i03/labels", []) }),
        ("elsewhere", 0, { try $0.replace("/issues/i01/by/name", "lee") }),
      ]
    )
    try await check(
      { root in root.member("issues").map { $1.path("by", "name").json } },
      cells: ["issues", "issues (members)", "issues (values)", "issues/*/by"],
      [
        ("inside", 1, { try $0.replace("/issues/i01/by/name", "lee") }),
        ("elsewhere", 0, { try $0.add("/issues/i02/labels/-", "new") }),
      ]
    )
  }

  @Test func `Plain values of a walk are depended on, containers are references`() async throws {
    try await check(
      { root in root.member("flags").map { $1.json } },
      cells: ["flags", "flags (members)", "flags (values)"],
      [
        ("a value", 1, { try $0.replace("/flags/limit", 4) }),
        ("an equal value", 0, { try $0.replace("/flags/limit", 4.0) }),
        ("a member", 1, { try $0.add("/flags/more", 1) }),
      ]
    )
    try await check(
      { root in root.member("issues").keys },
      cells: ["issues", "issues (members)"],
      [
        ("a value", 0, { try $0.replace("/issues/i01/title", 4) }),
        ("a member", 1, { try $0.add("/issues/i05", 1) }),
        ("another value", 0, { try $0.replace("/issues/i05", 2) }),
      ]
    )
  }

  @Test func `A snapshot depends on its whole subtree and on nothing else`() async throws {
    try await check(
      { $0.path("issues", "i01").json },
      cells: ["issues", "issues/i01", "issues/i01 (all)"],
      [
        ("deep inside", 1, { try $0.add("/issues/i01/labels/-", "x") }),
        ("a field", 1, { try $0.replace("/issues/i01/by/name", "lee") }),
        ("a neighbour", 0, { try $0.replace("/issues/i02/title", "T") }),
        ("a neighbour leaves", 0, { try $0.remove("/issues/i02") }),
        ("equal", 0, { try $0.replace("/issues/i01/by", ["name": "lee"]) }),
      ]
    )
  }

  @Test func `Records of a scan that are read whole are one dependence`() async throws {
    try await check(
      { root in root.member("issues").map { $1.json } },
      cells: ["issues", "issues (members)", "issues (values)", "issues/*/*"],
      [
        ("any field", 1, { try $0.replace("/issues/i02/title", "T") }),
        ("deep inside", 1, { try $0.add("/issues/i01/labels/-", "x") }),
        ("another collection", 0, { try $0.replace("/users/u1/name", "T") }),
      ]
    )
  }

  @Test func `Elements of a list are depended on by their place`() async throws {
    try await check(
      { root in [root.member("list").element(0).json, root.member("list").element(3).json] },
      cells: ["list", "list/0", "list/3"],
      [
        ("another element", 0, { try $0.replace("/list/2", 9) }),
        ("inside another", 0, { try $0.replace("/list/1/x", 9) }),
        ("the element", 1, { try $0.replace("/list/0", 9) }),
        ("append", 1, { try $0.add("/list/-", 4) }),
        ("behind", 0, { try $0.add("/list/-", 5) }),
        ("in between", 1, { try $0.add("/list/1", 6) }),
        ("removal before", 1, { try $0.remove("/list/0") }),
      ]
    )
    try await check(
      { root in root.member("list").map { $1.member("x").json } },
      cells: ["list", "list (members)", "list (values)", "list/*/x"],
      [
        ("the column", 1, { try $0.replace("/list/1/x", 9) }),
        ("another column", 0, { try $0.add("/list/1/y", 9) }),
        ("a plain element", 1, { try $0.replace("/list/0", 8) }),
      ]
    )
  }

  @Test func `A root of another kind wakes whoever read the old one`() async throws {
    let document = try Document(["a": ["b": 1]])
    let watch = DocumentWatch(document) { $0.path("a", "b").json }
    let plain = try Document(5)
    let number = DocumentWatch(plain) { $0.json }
    await nextTurn()
    #expect(try await watch.evaluations { try document.add("", ["a": ["b": 1, "c": 2]]) } == 0)
    #expect(try await watch.evaluations { try document.add("", [1]) } == 1)
    #expect(try await watch.evaluations { try document.add("", ["a": ["b": 2]]) } == 0)
    #expect(try await number.evaluations { try plain.add("", 5.0) } == 0)
    #expect(try await number.evaluations { try plain.add("", ["x": 1]) } == 1)
    #expect(try await number.evaluations { try plain.add("", 7) } == 1)
    #expect(number.values == [5, ["x": 1], 7])
    watch.end()
    number.end()
    #expect(document.cellCount == 0 && plain.cellCount == 0)
  }

  @Test func `Reads outside of a query leave no cell`() throws {
    let document = try Document(Self.board)
    #expect(document.root.path("issues", "i01", "title").json == "Crash")
    #expect(
      document.root.member("issues").map { $1.member("state").json } == ["open", "open", "closed"]
    )
    #expect(document.root.json == Self.board)
    #expect(document.cellCount == 0)
  }

  @Test func `Cells are shared and go with the last query`() async throws {
    let document = try Document(Self.board)
    let one = DocumentWatch(document) { $0.path("issues", "i01", "title").json }
    let two = DocumentWatch(document) { $0.path("issues", "i01", "votes").json }
    await nextTurn()
    #expect(document.cellCount == 4)
    #expect(one.tracker.cellCount == 3)
    one.end()
    #expect(document.cellCount == 3)
    #expect(try await two.evaluations { try document.replace("/issues/i01/votes", 8) } == 1)
    two.end()
    #expect(document.cellCount == 0)
  }

  @Test func `What is read no more is depended on no more`() async throws {
    let document = try Document(Self.board)
    let watch = DocumentWatch(document) { root in
      root.path("flags", "dark").json == true ? root.path("issues", "i01", "title").json : 0
    }
    await nextTurn()
    #expect(document.cellCount == 5)
    #expect(try await watch.evaluations { try document.replace("/flags/dark", false) } == 1)
    #expect(document.cellCount == 2)
    #expect(try await watch.evaluations { try document.replace("/issues/i01/title", "x") } == 0)
    watch.end()
  }

  @Test func `A tracker that nobody keeps gives its cells back`() async throws {
    let document = try Document(Self.board)
    do {
      let tracker = QueryTracker(document)
      _ = tracker.evaluate { $0.path("issues", "i01", "title").json }
      #expect(document.cellCount == 3)
    }
    await nextTurn()
    #expect(document.cellCount == 0)
  }

  @Test func `The cell that caused an evaluation is named`() async throws {
    let document = try Document(Self.board)
    let watch = DocumentWatch(document) { root in
      [root.path("issues", "i01", "title").json]
        + root.member("issues").map { $1.member("state").json }
    }
    await nextTurn()
    #expect(watch.tracker.cause == nil)
    _ = try await watch.evaluations { try document.replace("/issues/i01/title", "x") }
    #expect(watch.tracker.cause == "issues/i01/title")
    _ = try await watch.evaluations { try document.replace("/issues/i02/state", "x") }
    #expect(watch.tracker.cause == "issues/*/state")
    _ = try await watch.evaluations { try document.remove("/issues/i02") }
    #expect(watch.tracker.cause == "issues (members)")
    watch.end()
  }
}

extension Document {
  /// Sets some members of an object and leaves the others.
  func merge(_ place: String, _ value: JSON) throws(CommitError) {
    try apply(Commit(merge: value, at: JSONPointer(place)))
  }
}
