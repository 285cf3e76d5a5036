import ObsServer
import Testing

@testable import ObsConfig

@Suite(.timeLimit(.minutes(5)))
struct SettingsTests {
  @Test func `each field of Limits has a setting`() {
    var keys: Set<String> = []
    for field in Mirror(reflecting: Limits()).children {
      let label = field.label ?? ""
      let inner = field.value is Duration ? [] : Array(Mirror(reflecting: field.value).children)
      if inner.isEmpty { keys.insert("limits.\(label)") }
      // A struct of limits is a group of its own.
      for field in inner { keys.insert("\(label).\(field.label ?? "")") }
    }
    #expect(Set((Settings.limits + Settings.language).map(\.key)) == keys)
  }

  /// Where the fields of the server's configuration stand in the table.
  private static let names = [
    "host": "server.host", "port": "server.port", "path": "server.path", "tls": "tls.certificate",
    "allowedOrigins": "origins", "environment": "environment", "linger": "linger",
    "pingInterval": "server.pingInterval", "pongTimeout": "server.pongTimeout",
    "drainTime": "drain", "logLevel": "log.level",
  ]
  /// Fields that are code, or tables of their own.
  private static let others: Set = ["limits", "log", "authenticate"]

  @Test func `each field of the server's configuration has a setting`() throws {
    for field in Mirror(reflecting: ServerConfiguration()).children {
      let label = try #require(field.label)
      if Self.others.contains(label) { continue }
      let key = try #require(Self.names[label], "\(label) has no setting")
      #expect(Settings.setting(key) != nil, "\(key) is missing in Settings.swift")
    }
  }

  @Test func `keys, flags and variables are unique, and no key is a group`() {
    for names in [
      Settings.all.map(\.key), Settings.all.map(\.flag), Settings.all.map(\.variable),
    ] {
      #expect(Set(names).count == names.count)
    }
    #expect(Set(Settings.all.compactMap(\.group)).isDisjoint(with: Settings.all.map(\.key)))
  }

  @Test func `names follow from the key`() throws {
    let setting = try #require(Settings.setting("limits.subscriptionsPerConnection"))
    #expect(setting.flag == "--limits-subscriptions-per-connection")
    #expect(setting.variable == "OBS_LIMITS_SUBSCRIPTIONS_PER_CONNECTION")
    #expect(setting.group == "limits")
    #expect(setting.name == "subscriptionsPerConnection")
  }

  /// A value that is no default.
  private func other(_ setting: Setting) -> String {
    switch setting.kind {
    case .text, .file: "other"
    case .urlPath: "/other"
    case .toggle: "true"
    case .count: "7"
    case .size: "77"
    case .number: "7.5"
    case .time: "7s"
    case .choice(let words): words[0]
    case .origins: "https://other.example"
    }
  }

  @Test(arguments: Settings.all.map(\.key))
  func `a setting changes its own value and no other`(key: String) throws {
    let setting = try #require(Settings.setting(key))
    var configuration = Configuration()
    let text = other(setting)
    setting.apply(try #require(setting.kind.value(of: text)), to: &configuration)
    #expect(setting.text(in: configuration) == text)
    for unchanged in Settings.all where unchanged.key != key {
      #expect(unchanged.text(in: configuration) == unchanged.text(in: Configuration()))
    }
  }

  @Test(arguments: Settings.all.map(\.key))
  func `a default is a value that the setting accepts`(key: String) throws {
    let setting = try #require(Settings.setting(key))
    guard let text = setting.defaultText else { return }
    let value = try #require(setting.kind.value(of: text), "\(text)")
    #expect(setting.kind.text(of: value) == text)
  }

  @Test(arguments: Settings.all)
  func `help is one short line`(setting: Setting) {
    #expect(!setting.help.contains("\n"))
    #expect(!setting.help.contains("|"))
    #expect(setting.help.count <= 70)
    #expect(!setting.help.hasSuffix("."))
  }
}
