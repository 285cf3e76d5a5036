import ObsModel
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
@ObsActor
struct DocumentImportTests {
  nonisolated static func large(_ count: Int) -> JSON {
    let records = (0..<count).map { number -> JSON.Object.Member in
      (
        "r\(number)",
        ["n": .int(Int64(number)), "none": .null, "tags": ["a", ["b": .double(0.5)]]]
      )
    }
    let list = (0..<count).map { JSON.int(Int64($0)) }
    return ["rows": .object(JSON.Object(records)), "list": .array(list), "small": ["x": 1]]
  }

  @Test func `What is imported in slices is what was given`() async throws {
    let json = Self.large(3000)
    let document = try Document(["kept": 1])
    var reports: [Int] = []
    var total = 0
    try await document.add(ImportSlices(json), slice: .microseconds(200)) {
      reports.append($0)
      total = $1
    }
    var expected = try #require(json.objectValue)
    expected["kept"] = 1
    #expect(document.json == .object(expected))
    #expect(reports.count > 5 && reports == reports.sorted() && reports.last == total)
    #expect(document.seq == Int64(reports.count))
  }

  @Test func `Small, plain and empty values are imported, too, at any place`() async throws {
    for value in [.null, 3, "x", [], [:], ["a": .null], [[1]], Self.large(400)] as [JSON] {
      let document = try Document(["at": ["old": 1]])
      try await document.add(ImportSlices(value, at: JSONPointer("/at/new")))
      #expect(document.json == ["at": ["old": 1, "new": value]])
    }
  }

  @Test func `Others have their turn between the slices`() async throws {
    let document = try Document([:])
    let watch = DocumentWatch(document) { $0.member("rows").count }
    await nextTurn()
    let seen = Box(0)
    try await document.add(ImportSlices(Self.large(5000)), slice: .microseconds(100)) { _, _ in
      ObsActor.executor.submit { ObsActor.assumeIsolated { seen.value += 1 } }
    }
    await nextTurn()
    #expect(seen.value > 5)
    #expect(watch.evaluations > 5)
    #expect(watch.values.last == 5000)
    watch.end()
  }

  @Test func `An import whose place is taken away ends with an error`() async throws {
    let document = try Document([:])
    var removed = false
    let error = await #expect(throws: CommitError.self) {
      try await document.add(ImportSlices(Self.large(3000)), slice: .microseconds(100)) { done, _ in
        guard done > 600, !removed else { return }
        removed = true
        try? document.remove("/list")
      }
    }
    #expect(error?.code == .patchFailed)
  }
}
