import ObsCommandLine
import ObsConfig
import Testing

@testable import obsd

@Suite(.timeLimit(.minutes(5)))
struct InvocationTests {
  private func parse(
    _ line: String...,
    environment: [String: String] = [:]
  ) throws(CommandLineError) -> Invocation {
    try Invocation.parse(line, environment: environment)
  }

  private func complaint(_ line: String...) -> String? {
    do throws(CommandLineError) {
      _ = try Invocation.parse(line, environment: [:])
      return nil
    } catch { return error.message }
  }

  @Test func `flags are settings, in their order`() throws {
    let options = Invocation.Options(
      file: "o.yaml",
      flags: [
        .init(key: "server.host", text: "::1"), .init(key: "server.port", text: "0"),
        .init(key: "data.memory", text: "true"), .init(key: "data.demo", text: "false"),
        .init(key: "data.load", text: "d.json"),
      ]
    )
    let line = [
      "--host", "::1", "--port=0", "--memory", "--demo=false", "--load", "d.json", "--config",
      "o.yaml",
    ]
    #expect(try Invocation.parse(line, environment: [:]) == .serve(options))
    let check = try Invocation.parse(["check-config"] + line, environment: [:])
    #expect(check == .check(options, .effective))
  }

  @Test func `the environment may name the file, a flag wins, empty means none`() throws {
    func file(_ environment: String, _ line: String...) throws -> String? {
      let parsed = try Invocation.parse(line, environment: ["OBS_CONFIG": environment])
      guard case .serve(let options) = parsed else { return nil }
      return options.file
    }
    #expect(try file("e.yaml") == "e.yaml")
    #expect(try file("e.yaml", "--config", "f.yaml") == "f.yaml")
    #expect(try file("") == nil)
  }

  @Test func `help, version and what check-config prints`() throws {
    #expect(try parse("--help") == .help)
    #expect(try parse("-h") == .help)
    #expect(try parse("help") == .help)
    #expect(try parse("--port", "3", "--help") == .help)
    #expect(try parse("check-config", "--help") == .help)
    #expect(try parse("--version") == .version)
    #expect(try parse("check-config", "--print-defaults") == .check(.init(), .defaults))
    #expect(try parse("check-config", "--print-reference") == .check(.init(), .reference))
  }

  @Test func `what makes no sense is said with what to do`() {
    #expect(complaint("--prot", "3") == "there is no option --prot; did you mean --port?")
    #expect(complaint("--quux") == "there is no option --quux; `obsd --help` lists them")
    #expect(complaint("--port") == "--port needs a value behind it")
    #expect(
      complaint("chekc-config")
        == "there is no command `chekc-config`; did you mean `obsd check-config`?"
    )
    #expect(complaint("obsd.yaml")?.contains("--config FILE") == true)
    #expect(complaint("--memory", "false")?.contains("but got `false`") == true)
    #expect(complaint("--port", "1", "check-config")?.contains("check-config") == true)
    #expect(complaint("--print-defaults")?.contains("--print-defaults") == true)
  }

  @Test(arguments: Settings.all)
  func `help names each flag and its default`(setting: Setting) throws {
    let line = Help.text.split(separator: "\n").first {
      $0.trimmingPrefix(while: \.isWhitespace).hasPrefix("\(setting.flag) ")
    }
    #expect(try #require(line).contains(setting.help))
    if setting.kind != .toggle, let value = setting.defaultText {
      #expect(line?.contains(" \(value) ") == true)
    }
  }

  @Test func `help names each exit code`() {
    for code in [0, 64, 65, 66, 69, 70, 78] {
      #expect(Help.text.contains("\n   \(code < 10 ? " " : "")\(code)  "))
    }
  }
}
