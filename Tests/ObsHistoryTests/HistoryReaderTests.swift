import Foundation
import ObsHistory
import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HistoryReaderTests {
  private let first = #"{"at":"2015-11-03","ops":[{"op":"add","path":"/a","value":1}]}"#
  private let second = #"{"ops":[{"op":"remove","path":"/a"}]}"#

  /// A reader that is given these texts one after the other.
  private func reader(_ chunks: String..., asked: Mailbox<Int> = Mailbox()) -> HistoryReader {
    let rest = Locked(chunks)
    return HistoryReader(name: "h.ndjson") {
      rest.withLock { rest in
        asked.post(rest.count)
        return rest.isEmpty ? Data() : Data(rest.removeFirst().utf8)
      }
    }
  }

  @Test func `each line is a transaction with its operations and its number`() throws {
    var reader = reader("\(first)\n\n  \r\n\(second)")
    let one = try #require(try reader.next())
    #expect(one.at == "2015-11-03")
    #expect(one.operations == [["op": "add", "path": "/a", "value": 1]])
    #expect(one.line == 1)
    let two = try #require(try reader.next())
    #expect(two.at == nil)
    #expect(two.operations == [["op": "remove", "path": "/a"]])
    #expect(two.line == 4)
    #expect(try reader.next() == nil)
    #expect(try reader.next() == nil)
  }

  @Test func `lines may be cut anywhere between chunks`() throws {
    let text = Array("\(first)\n\(second)\n".utf8)
    for cut in text.indices {
      let halves = [Data(text[..<cut]), Data(text[cut...])].filter { !$0.isEmpty }
      let rest = Locked(halves)
      var reader = HistoryReader(name: "h") {
        rest.withLock { $0.isEmpty ? Data() : $0.removeFirst() }
      }
      #expect(try reader.next()?.line == 1)
      #expect(try reader.next()?.line == 2)
      #expect(try reader.next() == nil)
    }
  }

  @Test func `no more is read than was asked for`() throws {
    let asked = Mailbox<Int>()
    var reader = reader("\(first)\n", "\(second)\n", asked: asked)
    #expect(asked.unread == [])
    #expect(try reader.next()?.line == 1)
    #expect(asked.unread == [2])
    #expect(try reader.next()?.line == 2)
    #expect(asked.unread == [2, 1])
  }

  @Test(arguments: [
    (#"{"ops": [}"#, "h.ndjson:2:11: ", "'}'"),
    (#"{"ops": 3}"#, "h.ndjson:2: ", "`ops` must be there, an array"),
    (#"{}"#, "h.ndjson:2: ", "`ops` must be there"),
    (#"[]"#, "h.ndjson:2: ", "a transaction is an object"),
    (#"{"at": 3, "ops": []}"#, "h.ndjson:2: ", "`at` must be text"),
    (#"{"ops": [{"op":"add","path":"/a"}, {"op":"add"}]}"#, "h.ndjson:2: ", "`ops[1]`"),
    (#"{"ops": [3]}"#, "h.ndjson:2: ", "`ops[0]`"),
  ])
  func `a line that is no transaction is told with its place, and reading goes on`(
    line: String,
    place: String,
    words: String
  ) throws {
    var reader = reader("\(first)\n\(line)\n\(second)\n")
    #expect(try reader.next()?.line == 1)
    let error = #expect(throws: HistoryError.self) { try reader.next() }
    #expect(error?.description.hasPrefix(place) == true, "\(String(describing: error))")
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    #expect(try reader.next()?.line == 3)
  }

  @Test func `a line without end is refused before it fills the memory`() {
    let chunk = Data(repeating: UInt8(ascii: " "), count: 1 << 20)
    let asked = Locked(0)
    var reader = HistoryReader(name: "h") {
      asked.withLock { $0 += 1 }
      return chunk
    }
    #expect(throws: HistoryError.self) { try reader.next() }
    #expect(asked.withLock { $0 } <= HistoryReader.maximumLineBytes / chunk.count + 2)
  }

  @Test func `a file that is not there is named`() {
    let error = #expect(throws: HistoryError.self) {
      _ = try HistoryReader(path: "/nowhere/h.ndjson")
    }
    #expect(error?.description == "/nowhere/h.ndjson: cannot be read: no such file")
  }

  @Test func `the shipped history has 1,817 transactions with 4,404 operations`() throws {
    var reader = try SwiftEvolution.history()
    var operations = 0
    var transactions = 0
    while let transaction = try reader.next() {
      transactions += 1
      operations += transaction.operations.count
    }
    #expect(transactions == 1817)
    #expect(operations == 4404)
    #expect(try SwiftEvolution.outcome()["proposals"]?.objectValue?.count == 548)
  }
}
