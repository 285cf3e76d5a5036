import Foundation
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JanssonReaderTests {
  private static let isSanitized =
    ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }

  // In a process of its own, where nothing else allocates. A sanitizer keeps freed memory, and looks for leaks itself.
  @Test(.enabled(if: !isSanitized, "sanitizers keep what is freed; theirs look for leaks"))
  func `parsing leaves no memory behind, whether it succeeds or fails`() async {
    await #expect(processExitsWith: .success) {
      let texts = [
        #"{"a":[1,2.5,"text",{"b":null,"c":"\u0000"}],"d":{"e":[true,false]}}"#,
        #"{"a":[1,2.5,"text",{"b":null"#, #"[{"k":1,"k":2}]"#, #"["a",99999999999999999999]"#,
        #"[["deep",{"nul\u0000":1}]]"#,
      ]
      func parseAll(_ times: Int) {
        for _ in 0..<times { for text in texts { _ = try? JSON(parsing: text) } }
      }
      func residentPages() throws -> Int {
        let text = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
        return try #require(Int(text.split(separator: " ")[1]))
      }
      parseAll(1000)
      let before = try residentPages()
      // One block of the smallest size that stays behind each time would be over 3 MiB.
      parseAll(20_000)
      let after = try residentPages()
      precondition(after - before < 512, "\(before) pages were resident, now \(after)")
    }
  }
}
