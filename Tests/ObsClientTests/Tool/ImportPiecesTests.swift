import ObsClient
import ObsModel
import ObsWire
import Testing

@testable import obsctl

@Suite("The commits of an import", .timeLimit(.minutes(5)))
struct ImportPiecesTests {
  private func pieces(
    _ json: JSON,
    at place: String = "",
    _ limits: ImportPieces.Limits = .init()
  ) throws -> [ImportPieces.Piece] {
    var pieces = ImportPieces(json, at: try JSONPointer(place), limits: limits)
    var all: [ImportPieces.Piece] = []
    while let piece = try pieces.next() { all.append(piece) }
    return all
  }

  /// Applies all commits to a document, as a server does.
  @ObsActor
  private func apply(_ pieces: [ImportPieces.Piece], to json: JSON) throws -> JSON {
    let document = try Document(json)
    for piece in pieces {
      switch piece.change {
      case .patch(let operations):
        try document.apply(Commit(patch: .array(operations.map(\.json))))
      case .merge(let at, let value):
        try document.apply(Commit(merge: value, at: JSONPointer(at)))
      }
    }
    return document.snapshot(JSONPointer(tokens: [])) ?? .null
  }

  @Test("records are set one by one, what is there besides stays, everything else is replaced")
  func semantics() async throws {
    let before: JSON = [
      "issues": ["i1": ["old": true], "i9": ["kept": true]], "list": [1, 2, 3],
      "settings": ["gone": 1], "other": 1,
    ]
    let file: JSON = [
      "issues": ["i1": ["new": .null], "i2": [:]], "list": [4], "settings": ["a": 1], "n": .null,
    ]
    #expect(
      try await apply(pieces(file), to: before) == [
        "issues": ["i1": ["new": .null], "i2": [:], "i9": ["kept": true]], "list": [4],
        "settings": ["a": 1], "other": 1, "n": .null,
      ]
    )
  }

  @Test(
    "the result does not depend on how small the commits are, and none is larger than allowed",
    arguments: [1, 7, 40, 200, 100_000]
  )
  func sizes(bytes: Int) async throws {
    let file: JSON = [
      "issues": .object(
        JSON.Object(
          (0..<30).map { number in
            (
              "i~\(number)/",
              [
                "title": .string(String(repeating: "é", count: number)), "tags": ["a", ["b", []]],
                "at": ["x": .int(Int64(number)), "y": .null],
              ] as JSON
            )
          }
        )
      ),
      "list": .array((0..<20).map { [.int($0), [.int($0), "x"]] }),
      "empty": [:], "deep": ["a": ["b": ["c": ["d": "e"]]]],
    ]
    let limits = ImportPieces.Limits(bytes: bytes, operations: 5)
    let pieces = try pieces(file, limits)
    for piece in pieces {
      guard case .patch(let operations) = piece.change else { continue }
      #expect(operations.count <= 5)
      // One value that cannot be cut may be larger.
      #expect(operations.count == 1 || piece.bytes <= bytes)
    }
    #expect(try await apply(pieces, to: [:]) == file)
    // Once more changes nothing.
    #expect(try await apply(pieces, to: file) == file)
  }

  @Test("at a place")
  func place() async throws {
    let records: JSON = ["a": ["n": 1], "b": ["n": 2]]
    let pieces = try pieces(records, at: "/x/y")
    #expect(
      try await apply(pieces, to: ["x": ["y": ["z": 1]]]) == [
        "x": ["y": ["a": ["n": 1], "b": ["n": 2], "z": 1]]
      ]
    )
    let list = try self.pieces([1, [2, 3]], at: "/x", .init(bytes: 1, operations: 500))
    #expect(try await apply(list, to: ["x": 0]) == ["x": [1, [2, 3]]])
  }

  @Test("a text that no message can hold is an error with its place")
  func tooLarge() throws {
    let file: JSON = ["a": ["b": .string(String(repeating: "x", count: 300_000))]]
    let complaint = #expect(throws: Complaint.self) { _ = try pieces(file) }
    #expect(complaint?.text.contains("\"/a/b\" has 300.0 kB") == true)
    #expect(complaint?.code == .badData)
  }
}
