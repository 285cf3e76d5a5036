import Foundation
import Testing

/// docs/SCENARIOS.md says which test shows which scenario: every test that it names exists.
@Suite("The table of scenarios", .timeLimit(.minutes(5)))
struct ScenarioTableTests {
  /// The sources of the tests by the name of their file.
  private static func sources() throws -> [String: String] {
    let folder = Tools.repository.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var sources: [String: String] = [:]
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let name = file.deletingPathExtension().lastPathComponent
      sources[name] = try String(contentsOf: file, encoding: .utf8)
    }
    return sources
  }

  @Test("every scenario has a test, and every test that the table names exists")
  func table() throws {
    let sources = try Self.sources()
    let text = try String(
      contentsOf: Tools.repository.appending(path: "docs/SCENARIOS.md"),
      encoding: .utf8
    )
    var numbers: [Int] = []
    for line in text.split(separator: "\n") {
      guard let row = line.wholeMatch(of: /\| (\d+) \| .* \| (.*) \|/) else { continue }
      numbers.append(try #require(Int(row.1)))
      for entry in row.2.matches(of: /`(\w+Tests)`((?:,? "[^"]*")*)/) {
        let source = sources[String(entry.1)] ?? ""
        var beginnings = entry.2.matches(of: /"([^"]*)"/).map { $0.1.replacing("…", with: "") }
        if beginnings.isEmpty { beginnings = ["scenario \(row.1):"] }
        for beginning in beginnings {
          let isThere = source.contains("\"" + beginning)
          #expect(isThere, "\(entry.1) \"\(beginning)\", scenario \(row.1)")
        }
      }
      #expect(row.2.contains("Tests`"), "scenario \(row.1)")
    }
    // Those that this part of the project owes.
    let owed = [
      2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 16, 18, 19, 20, 22, 24, 26, 28, 31, 32, 34, 35, 37, 42, 49,
      50, 52, 54, 55, 56, 58, 59, 60, 62, 63, 64,
    ]
    #expect(Set(owed).subtracting(numbers) == [])
    #expect(numbers == numbers.sorted())
  }
}
