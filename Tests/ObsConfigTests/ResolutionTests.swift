import ObsServer
import ObsTestSupport
import Testing

@testable import ObsConfig

@Suite(.timeLimit(.minutes(5)))
struct ResolutionTests {
  private func resolve(
    _ file: String? = nil,
    _ environment: [String: String] = [:],
    _ flags: [(String, String)] = []
  ) -> Resolution {
    Resolution(
      file.map { ConfigurationFile(Array($0.utf8), name: "o.yaml") },
      environment,
      flags.map { Resolution.FlagValue(key: $0, text: $1) }
    )
  }

  private func source(_ key: String, _ resolution: Resolution) throws -> String {
    resolution.source(of: try #require(Settings.setting(key))).description
  }

  @Test func `a flag wins over the environment, that over the file, that over the default`() throws
  {
    let file = "server:\n  port: 1\n  host: file\n  path: /file\n"
    let resolution = resolve(
      file,
      ["OBS_SERVER_PORT": "2", "OBS_SERVER_HOST": "variable"],
      [("server.port", "3")]
    )
    #expect(resolution.problems == [])
    #expect(resolution.configuration.server.port == 3)
    #expect(resolution.configuration.server.host == "variable")
    #expect(resolution.configuration.server.path == "/file")
    #expect(try source("server.port", resolution) == "--port")
    #expect(try source("server.host", resolution) == "$OBS_SERVER_HOST")
    #expect(try source("server.path", resolution) == "o.yaml:4:9")
    #expect(try source("linger", resolution) == "default")
  }

  @Test func `mistakes are told also where something else wins`() {
    let resolution = resolve(
      "server:\n  port: x\n",
      ["OBS_SERVER_PORT": "y"],
      [("server.port", "z"), ("server.port", "1")]
    )
    #expect(
      resolution.problems.map { "\($0.source)" } == ["o.yaml:2:9", "$OBS_SERVER_PORT", "--port"]
    )
  }

  @Test func `an empty variable counts as none`() {
    let resolution = resolve(nil, ["OBS_SERVER_PORT": ""])
    #expect(resolution.problems == [])
    #expect(resolution.configuration.server.port == 8080)
  }

  @Test func `of a flag that stands twice the last counts, origins are gathered`() {
    let resolution = resolve(
      "origins: [https://file.example]",
      [:],
      [
        ("server.port", "1"), ("server.port", "2"), ("origins", "https://a.example"),
        ("origins", "https://b.example,https://c.example"),
      ]
    )
    #expect(resolution.configuration.server.port == 2)
    #expect(
      resolution.configuration.server.allowedOrigins
        == ["https://a.example", "https://b.example", "https://c.example"]
    )
  }

  @Test(arguments: [
    ("OBS_PORT", "did you mean OBS_SERVER_PORT?"),
    ("OBS_SERVER_PROT", "did you mean OBS_SERVER_PORT?"),
    ("OBS_LOG_LEVLE", "did you mean OBS_LOG_LEVEL?"), ("OBS_CERTIFICATE", "OBS_TLS_CERTIFICATE?"),
    ("OBS_WHATEVER", "is no setting of obsd and is ignored"),
  ])
  func `an unknown variable is warned about with what was probably meant`(
    variable: String,
    words: String
  ) {
    let resolution = resolve(nil, [variable: "3", "PATH": "/bin"])
    #expect(resolution.problems == [])
    #expect(resolution.warnings.map { "\($0.source)" } == ["$\(variable)"])
    #expect(resolution.warnings.first?.message.contains(words) == true)
  }

  @Test func `variables of the other programs are not warned about`() {
    let environment = [
      "OBS_URL": "ws://h/ws", "OBS_TOKEN": "t", "OBS_CONFIG": "/etc/obs/obsd.yaml",
    ]
    #expect(resolve(nil, environment).warnings == [])
  }

  @Test func `TLS needs both files, and both must be readable`() throws {
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    let half = resolve("tls:\n  certificate: \(certificate.certificateFile)\n")
    #expect(
      half.problems.map(\.description)
        == ["o.yaml:2:16: TLS needs the key, too: set `tls.key`"]
    )
    let missing = resolve(nil, ["OBS_TLS_KEY": "/nowhere/key.pem"])
    #expect(
      missing.problems.map(\.description) == [
        "$OBS_TLS_KEY: `tls.key` names /nowhere/key.pem, which cannot be read: no such file",
        "$OBS_TLS_KEY: TLS needs the certificate, too: set `tls.certificate`",
      ]
    )
    let whole = resolve(
      nil,
      [:],
      [
        ("tls.certificate", certificate.certificateFile), ("tls.key", certificate.privateKeyFile),
      ]
    )
    #expect(whole.problems == [])
    #expect(whole.configuration.server.tls?.privateKeyFile == certificate.privateKeyFile)
  }

  @Test func `settings that contradict each other are told`() {
    let both = resolve("data:\n  load: x.json\n", [:], [("data.demo", "true")])
    #expect(
      both.problems.map(\.description)
        == ["--demo: `data.demo` brings its own document; leave out `data.load` (o.yaml:2:9)"]
    )
    let taken = resolve("server:\n  path: /metrics\n")
    #expect(taken.problems.map(\.description) == ["configuration: path `/metrics` is taken"])
  }
}
