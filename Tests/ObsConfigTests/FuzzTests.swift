import ObsTestSupport
import Testing

@testable import ObsConfig

@Suite(.timeLimit(.minutes(5)))
struct FuzzTests {
  private static let text = """
    server:
      host: "::1"
      port: 9000
    origins: [https://a.example, "http://b.example:8080"]
    limits: {messageBytes: 1MiB, initTimeout: '500ms', operationsPerSecond: 2.5}
    log:
      level: off
    environment: ünïcode
    linger: 3s # time

    """

  private static let pieces = [
    ":", ": ", "- ", "\n", "\n  ", "\t", "&a ", "*a", "!!str ", "<<: ", "---\n", "%YAML 1.1\n", "[",
    "]",
    "{", "}", "? ", "'", "\"", "|\n", ">\n", "#", "\\", "\u{0}", "\u{FEFF}", "null",
    "99999999999999999999",
  ].map { Array($0.utf8) }

  @Test func `no text makes the reader trap, and each mistake has a place within it`() throws {
    try withSeed { generator in
      for _ in 0..<2000 {
        var bytes = Array(Self.text.utf8)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          let start = Int.random(in: 0...bytes.count, using: &generator)
          let end = min(bytes.count, start + Int.random(in: 0...8, using: &generator))
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: bytes.removeSubrange(start..<end)
          case 1:
            let piece = Self.pieces.randomElement(using: &generator) ?? []
            bytes.replaceSubrange(start..<start, with: piece)
          default:
            for index in start..<end { bytes[index] = .random(in: 0...255, using: &generator) }
          }
        }
        let file = ConfigurationFile(bytes, name: "f.yaml")
        // YAML breaks lines at more than \n: at \r, U+0085, U+2028 and U+2029, of one to three bytes each.
        let lines = bytes.count + 2
        for problem in file.problems {
          guard case .file(_, let line, let column) = problem.source else {
            Issue.record("\(problem)")
            continue
          }
          #expect(
            (1...lines).contains(line) && (1...bytes.count + 2).contains(column),
            "\(problem) \(bytes)"
          )
        }
      }
    }
  }
}
