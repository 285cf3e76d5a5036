import Foundation
import Testing

@testable import ObsConfig

@Suite(.timeLimit(.minutes(5)))
struct ConfigurationTextTests {
  private static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func resolve(_ text: String, _ flags: [Resolution.FlagValue] = []) -> Resolution {
    Resolution(ConfigurationFile(Array(text.utf8), name: "/s.yaml"), [:], flags)
  }

  private func texts(_ resolution: Resolution) -> [String?] {
    Settings.all.map { $0.text(in: resolution.configuration) }
  }

  @Test func `the sample says nothing until a line is uncommented`() {
    let resolution = resolve(ConfigurationText.sample)
    #expect(resolution.problems == [])
    #expect(Settings.all.allSatisfy { resolution.source(of: $0) == .standard })
  }

  @Test func `the sample's lines, uncommented, are all settings at their defaults`() throws {
    let lines = ConfigurationText.sample.split(separator: "\n").map { line -> Substring in
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("#"), !text.hasPrefix("# ") else { return line }
      return line.prefix(line.count - text.count) + text.dropFirst()
    }
    let uncommented = lines.joined(separator: "\n")
    let file = ConfigurationFile(Array(uncommented.utf8), name: "/s.yaml")
    #expect(file.problems == [])
    #expect(Set(file.entries.map(\.setting.key)) == Set(Settings.all.map(\.key)))
    for entry in file.entries {
      guard let text = entry.setting.defaultText else { continue }
      #expect(entry.setting.kind.text(of: entry.value) == text, "\(entry.setting.key)")
    }
  }

  @Test func `what is in force, read again, is the same`() {
    let awkward = [
      ("server.host", "::1"), ("environment", "12"), ("data.load", "/tmp/a: \"b\" #c.json"),
      ("origins", "https://a.example,https://b.example:8080"), ("limits.messageBytes", "3MB"),
      ("limits.operationsPerSecond", "0.5"), ("log.level", "off"), ("data.memory", "true"),
      ("linger", "90s"),
    ]
    let first = resolve("", awkward.map { Resolution.FlagValue(key: $0, text: $1) })
    #expect(first.problems == [])
    let second = resolve(ConfigurationText.effective(first))
    #expect(second.problems == [])
    #expect(texts(second) == texts(first))
  }

  @Test func `what is in force says where each value comes from`() {
    let flags = [Resolution.FlagValue(key: "server.port", text: "9")]
    let lines = ConfigurationText.effective(resolve("linger: 3s\n", flags)).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  port: 9 ") && $0.hasSuffix("  # --port") })
    #expect(lines.contains { $0.hasPrefix("linger: 3s ") && $0.hasSuffix("  # /s.yaml:1:9") })
    #expect(lines.contains { $0.hasPrefix("drain: 2s ") && $0.hasSuffix("  # default") })
    #expect(lines.contains { $0.hasPrefix("#environment: ") && $0.hasSuffix("  # default") })
  }

  @Test func `the shipped sample is the one that the table gives`() throws {
    let file = Self.repository.appending(path: "deploy/obsd.yaml")
    #expect(
      try String(contentsOf: file, encoding: .utf8) == ConfigurationText.sample,
      "run `make reference`"
    )
  }

  @Test func `the documented tables are those that the table gives`() throws {
    let file = Self.repository.appending(path: "docs/CONFIGURATION.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    #expect(page.contains("\n\n" + Reference.markdown + "\n"), "run `make reference`")
  }
}
