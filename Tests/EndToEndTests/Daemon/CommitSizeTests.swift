import Foundation
import ObsTestSupport
import ObsTransport
import ObsWire
import Testing

/// Commits of every size: whole, or refused with the limit's name and value; never a connection that just ends.
@Suite("Large commits", .serialized, .timeLimit(.minutes(5)))
struct CommitSizeTests {
  /// Not one letter: a piece that is lost, doubled or out of place shows.
  private static func text(_ bytes: Int) -> String {
    let block = (0..<1000).map { "\($0) " }.joined()
    let count = block.utf8.count
    let marks = (0...bytes / count).map { "|\($0)|" + block }
    return String(decoding: marks.joined().utf8.prefix(bytes), as: UTF8.self)
  }

  private static func replace(_ text: String) -> String {
    #"[{"op":"replace","path":"/text","value":"\#(text)"}]"#
  }

  @Test("scenario 59: 17 KB and 70 KB are applied and delivered whole; 20 MB is refused by name")
  func defaults() async throws {
    try await Obsd.with(document: ["text": ""]) { obsd in
      let watcher = try await ProtocolClient.connect(obsd.url)
      watcher.watch("w", "text")
      #expect(try await watcher.value("w").data == "")
      for bytes in [17_000, 70_000] {
        let byHTTP = Self.text(bytes)
        #expect(try await Curl.patch(obsd, Self.replace(byHTTP)).status == "200")
        #expect(try await watcher.value("w").data == .string(byHTTP))
        let bySocket = Self.text(bytes + 1)
        let client = try await ProtocolClient.connect(obsd.url)
        client.patch(text: Self.replace(bySocket))
        #expect(try await watcher.value("w").data == .string(bySocket))
        client.close()
      }

      let huge = Self.text(20_000_000)
      let answer = try await Curl.patch(obsd, Self.replace(huge))
      #expect(answer.status == "413")
      #expect(answer.body.contains("262144"), "\(answer.body)")
      let client = try await ProtocolClient.connect(obsd.url)
      client.patch(text: Self.replace(huge))
      let close = try await client.ended()
      #expect(close.code == 1009)
      #expect(close.reason.contains("262144"), "\(close.reason)")
      // The command says it before it sends anything.
      let merge = try await obsd.ctl(
        "merge",
        "",
        input: #"{"text":"\#(huge)"}"#
      )
      #expect(merge.code == 65)
      #expect(merge.complaint.contains("262144 at most [too-large]"))

      // Nothing of it was applied, and the watcher goes on.
      _ = try await Curl.patch(obsd, Self.replace("end"))
      let last = try await watcher.value("w")
      #expect(last.data == "end")
      #expect(last.seq == 5)
    }
  }

  @Test("scenario 59: with higher limits, 2 MB are applied and delivered whole")
  func raised() async throws {
    let limits = ["--limits-message-bytes", "4MiB", "--limits-value-bytes", "4MiB"]
    try await Obsd.with(document: ["text": ""], limits) { obsd in
      let watcher = try await ProtocolClient.connect(obsd.url)
      watcher.watch("w", "text")
      _ = try await watcher.value("w")
      let byHTTP = Self.text(2_000_000)
      #expect(try await Curl.patch(obsd, Self.replace(byHTTP)).status == "200")
      #expect(try await watcher.value("w").data == .string(byHTTP))
      let client = try await ProtocolClient.connect(obsd.url)
      let bySocket = Self.text(2_000_001)
      client.patch(text: Self.replace(bySocket))
      #expect(try await watcher.value("w").data == .string(bySocket))
    }
  }
}
