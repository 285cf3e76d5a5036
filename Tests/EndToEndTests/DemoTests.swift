import Foundation
import Glibc
import ObsTestSupport
import Testing

/// `scripts/demo`, which is what `make run` shows.
@Suite("The demo", .timeLimit(.minutes(3)))
struct DemoTests {
  private static let script = Tools.repository.appending(path: "scripts/demo")
  private static let folder = Program.built("obsd").deletingLastPathComponent().path

  @Test("in a pipe it replays the history once, compares the last values, and ends")
  func once() async throws {
    let outcome = try await withProgram(Self.script, [Self.folder]) { await $0.outcome() }
    #expect(outcome.code == 0, "\(outcome.lines) \(outcome.complaints)")
    func row(_ name: String) -> [Substring]? {
      outcome.lines.first { $0.hasPrefix(name) }?.dropFirst(name.count).split(separator: " ")
    }
    #expect(row("transactions")?.first == "1817")
    #expect(row("torn values")?.first == "0")
    #expect(row("last values")?.first == "equal")
    // Revs in which two queries changed that must agree: there are some, or nothing was compared.
    #expect(try #require(row("torn values")?.compactMap { Int($0) }.last) > 100)
    #expect(outcome.lines.contains("    548"))
  }

  @Test("without the folder of the programs it says what it wants")
  func usage() async throws {
    let outcome = try await withProgram(Self.script, ["/nowhere"]) { await $0.outcome() }
    #expect(outcome.code == 64)
    #expect(outcome.complaints.contains { $0.contains("scripts/demo FOLDER") })
  }
}
