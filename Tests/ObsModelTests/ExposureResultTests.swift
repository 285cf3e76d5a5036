import ObsModel
import ObsQuery
import ObsWire
import Testing

/// What functions of the embedding program give to queries: live objects, or values that encode themselves.
@Suite("Exposure: results of functions", .timeLimit(.minutes(5)))
@ObsActor
struct ExposureResultTests {
  let board = Tracker("a", "b!", "c")

  @Test("A function may return live objects, and the query depends on what it reads of them")
  func liveObjects() async throws {
    let board = board
    let urgent: RegisteredFunction = { _ in Value(exposing: board.items.filter(\.isUrgent)) }
    let asking = try Asking("urgent()[*].state", [:], functions: ["urgent": urgent])
    let watch = await Watch { asking.answer() }
    #expect(watch.answer == #"["open"]"#)
    #expect(await watch.causes { board.items[1].labels = ["x"] } == 0)
    #expect(await watch.causes { board.items[0].state = .closed } == 0)
    #expect(await watch.causes { board.items[1].state = .closed } == 1)
    #expect(watch.answer == #"["closed"]"#)
    #expect(await watch.causes { board.items[0].title = "a!" } == 1)
    #expect(watch.answer == #"["closed","closed"]"#)
    await watch.end()
  }

  @Test("A function may return a value that encodes itself")
  func encodable() throws {
    struct Summary: Encodable {
      var open: Int
      var titles: [String]
      var none: Int?
    }
    let value = try Value(encoding: Summary(open: 3, titles: ["a"]))
    #expect(try value.written() == #"{"open":3,"titles":["a"]}"#)
    #expect(try Value(encoding: [1, 2]).written() == "[1,2]")
    #expect(try Value(encoding: "x").written() == #""x""#)
  }

  @Test("A value without a JSON form is an error that may heal")
  func refused() {
    do {
      _ = try Value(encoding: ["ratio": Double.nan])
      Issue.record("encoded")
    } catch {
      #expect(error.code == .invalidValue)
      #expect(error.code.mayHeal)
      #expect(error.message.contains("finite"))
    }
  }
}
