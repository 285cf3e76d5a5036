import ObsModel
import ObsQuery
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
@ObsActor
struct DocumentCommitTests {
  @Test func `A commit that fails at its last operation changes nothing and wakes nobody`()
    async throws
  {
    let before: JSON = [
      "rows": ["a": ["n": 1, "tags": ["x", "y"]], "b": ["n": 2, "tags": []]], "list": [1, 2, 3],
    ]
    let document = try Document(before)
    let watches = [
      DocumentWatch(document) { $0.json },
      DocumentWatch(document) { .int(Int64($0.member("rows").count)) },
      DocumentWatch(document) { .array($0.member("rows").map { $1.member("n").json }) },
      DocumentWatch(document) { .int(Int64($0.member("rows").matching("n", 1).count)) },
    ]
    await nextTurn()
    let fails: JSON = [
      ["op": "replace", "path": "/rows/a/n", "value": 2],
      ["op": "replace", "path": "/rows/a", "value": ["n": 3, "new": [1]]],
      ["op": "remove", "path": "/rows/b"],
      ["op": "add", "path": "/rows/c", "value": ["n": 1]],
      ["op": "move", "from": "/rows/a", "path": "/moved"],
      ["op": "add", "path": "/list/1", "value": ["z"]],
      ["op": "remove", "path": "/list/0"],
      ["op": "replace", "path": "/list/1", "value": 3.5],
      ["op": "copy", "from": "/list", "path": "/rows/list"],
      ["op": "replace", "path": "/list", "value": "gone"],
      ["op": "test", "path": "/list", "value": [1, 2, 3]],
    ]
    let error = #expect(throws: CommitError.self) { try document.patch(fails) }
    #expect(error?.op == 10 && error?.code == .conflict)
    await nextTurn()
    #expect(document.json == before)
    for watch in watches { #expect(watch.evaluations == 1) }
    // Nothing is left behind that would make the next commit wrong: the index, the cells, the marks.
    try document.patch([["op": "replace", "path": "/rows/b/n", "value": 1]], ifSeq: 0)
    await nextTurn()
    #expect(watches[3].values == [1, 2])
    #expect(watches[1].values == [2])
    #expect(watches[2].values == [[1, 2], [1, 1]])
    for watch in watches { watch.end() }
    await nextTurn()
    #expect(document.cellCount == 0)
  }

  @Test func `A hundred thousand operations are one commit`() async throws {
    let document = try Document(["rows": [:]])
    let watch = DocumentWatch(document) { $0.member("rows").count }
    await nextTurn()
    let operations: [JSON] = (0..<100_000).map { number in
      ["op": "add", "path": .string("/rows/r\(number)"), "value": ["n": .int(Int64(number))]]
    }
    try document.apply(Commit(patch: .array(operations)))
    await nextTurn()
    #expect(watch.values == [0, 100_000])
    #expect(document.seq == 1)
    let undone = operations + [["op": "remove", "path": "/nope"]]
    let error = #expect(throws: CommitError.self) {
      try document.patch(.array(undone))
    }
    #expect(error?.op == 100_000)
    #expect(watch.evaluations == 2)
    #expect(document.snapshot(try JSONPointer("/rows/r99999/n")) == 99_999)
    watch.end()
  }

  @Test func `seq counts accepted commits, also those that change nothing`() throws {
    let document = try Document(["a": 1], seq: 40)
    var applied = try document.apply(Commit(patch: []))
    #expect(applied.seq == 41 && !applied.changed)
    let same: JSON = [["op": "replace", "path": "/a", "value": 1.0]]
    applied = try document.apply(Commit(patch: same))
    #expect(applied.seq == 42 && !applied.changed)
    #expect(document.json.description == #"{"a":1.0}"#)
    #expect(throws: CommitError.self) { try document.remove("/b") }
    #expect(document.seq == 42)
    applied = try document.apply(Commit(merge: ["a": .null]), at: 50)
    #expect(applied.seq == 50 && applied.changed)
    #expect(document.seq == 50)
  }

  @Test func `ifSeq is about the record that is touched, not about its neighbours`() throws {
    let document = try Document(["issues": ["i1": ["s": 1], "i2": ["s": 1]], "title": "x"])
    try document.replace("/issues/i1/s", 2)  // 1
    try document.replace("/title", "y")  // 2
    let touch: JSON = [["op": "replace", "path": "/issues/i2/s", "value": 3]]
    try document.patch(touch, ifSeq: 0)  // 3
    let error = #expect(throws: CommitError.self) { try document.patch(touch, ifSeq: 2) }
    #expect(error?.code == .conflict && error?.pointer == "/issues/i2" && error?.op == 0)
    #expect(error?.message.contains("changed at 3, after 2") == true)
    try document.patch(touch, ifSeq: 3)  // 4: an equal value changes nothing
    try document.patch(touch, ifSeq: 3)  // 5
    // A shorter pointer means all that is under it.
    let whole: JSON = [["op": "test", "path": "/issues", "value": [:]]]
    #expect(throws: CommitError.self) { try document.patch(whole, ifSeq: 2) }
    // A merge patch touches what it names.
    try document.apply(Commit(merge: ["issues": ["i1": ["t": 1]]], ifSeq: 1))  // 6
    #expect(throws: CommitError.self) {
      try document.apply(Commit(merge: ["issues": ["i1": ["t": 2]]], ifSeq: 5))
    }
    try document.apply(Commit(merge: ["title": "z"], ifSeq: 2))  // 7
  }

  @Test func `What is absent counts as changed by the last removal from its collection`() throws {
    let document = try Document(["issues": ["i1": [:], "i2": [:]], "other": ["x": [:]]])
    let create: JSON = [["op": "add", "path": "/issues/i9", "value": [:], "ifAbsent": true]]
    try document.add("/issues/i3", [:])  // 1
    try document.remove("/other/x")  // 2
    try document.patch(create, ifSeq: 0)  // 3: nothing was ever removed from issues
    try document.remove("/issues/i9")  // 4
    let error = #expect(throws: CommitError.self) { try document.patch(create, ifSeq: 3) }
    #expect(error?.pointer == "/issues/i9")
    try document.patch(create, ifSeq: 4)  // 5
    // A collection that came back may have had the record.
    try document.remove("/other")  // 6
    #expect(throws: CommitError.self) {
      try document.patch([["op": "add", "path": "/other", "value": [:]]], ifSeq: 5)
    }
    try document.patch([["op": "add", "path": "/other", "value": [:]]], ifSeq: 6)  // 7
    #expect(throws: CommitError.self) {
      try document.patch([["op": "add", "path": "/other/x", "value": [:]]], ifSeq: 6)
    }
  }

  @Test func `What was changed when survives a snapshot`() throws {
    let document = try Document(["a": ["x": 1, "y": 1], "b": ["z": 1], "l": [1]])
    try document.replace("/a/x", 2)  // 1
    try document.remove("/b/z")  // 2
    try document.add("/l/-", 2)  // 3
    let again = try document.restored()
    for (path, seq) in [("/a/x", 1), ("/a/y", 0), ("/b/z", 2), ("/l/0", 3), ("/c", 0), ("", 3)] {
      let test: JSON = [["op": "copy", "from": .string(path), "path": "/a/y"]]
      for copy in [document, again] {
        let error = #expect(throws: CommitError.self) {
          try copy.patch(test, ifSeq: Int64(seq) - 1)
        }
        #expect(error?.code == .conflict && error?.op == 0)
      }
    }
    let forgetful = try Document(document.json, seq: 3)
    #expect(throws: CommitError.self) {
      try forgetful.patch([["op": "remove", "path": "/a/y"]], ifSeq: 2)
    }
  }

  @Test func `What a refused commit touched is not changed`() throws {
    let document = try Document(["a": ["x": 1]])
    #expect(throws: CommitError.self) {
      try document.patch([
        ["op": "replace", "path": "/a/x", "value": 2], ["op": "remove", "path": "/q"],
      ])
    }
    try document.patch([["op": "replace", "path": "/a/x", "value": 2]], ifSeq: 0)
  }

  @Test func `A merge patch works at a place, and says where it cannot`() throws {
    let document = try Document(["a": ["list": [["x": 1]], "keep": 1]])
    try document.apply(
      Commit(merge: ["list": .null, "new": ["n": .null, "m": 1]], at: JSONPointer("/a"))
    )
    #expect(document.json == ["a": ["keep": 1, "new": ["m": 1]]])
    try document.apply(Commit(merge: ["x": 1], at: JSONPointer("/b")))
    #expect(document.snapshot(JSONPointer(tokens: ["b"])) == ["x": 1])
    try document.add("/l", [["x": 1]])
    try document.apply(Commit(merge: ["y": 2], at: JSONPointer("/l/0")))
    #expect(document.snapshot(JSONPointer(tokens: ["l"])) == [["x": 1, "y": 2]])
    for place in ["/l/1", "/l/-", "/c/d", "/a/keep/x"] {
      let error = #expect(throws: CommitError.self) {
        try document.apply(Commit(merge: ["y": 2], at: JSONPointer(place)))
      }
      #expect(error?.code == .patchFailed && error?.pointer == place)
    }
  }
}
