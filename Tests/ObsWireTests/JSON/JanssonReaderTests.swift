import Foundation
import ObsWire
import ObsTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JanssonReaderTests {
  // In a process of its own, where nothing else allocates.
  @Test(.measuresMemory)
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
      parseAll(1000)
      let before = try ProcessMemory.residentKiB()
      // One block of the smallest size that stays behind each time would be over 3 MiB.
      parseAll(20_000)
      let after = try ProcessMemory.residentKiB()
      precondition(after - before < 2048, "\(before) KiB were resident, now \(after)")
    }
  }
}
