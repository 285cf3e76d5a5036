import Foundation
import Glibc
import ObsClient
import ObsTestSupport
import ObsTransport
import ObsWire
import Testing

/// The daemon as a process: what it says, and how it ends.
@Suite(.timeLimit(.minutes(5)))
struct ObsdTests {
  /// Runs obsd to its end.
  private func run(
    _ arguments: String...,
    environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    try await withProgram(Obsd.file, arguments, environment: environment) { await $0.outcome() }
  }

  /// Runs `body` beside an obsd that is ready, with its address.
  private func withDaemon<Value>(
    _ arguments: String...,
    environment: [String: String] = [:],
    _ body: (Program, String) async throws -> Value
  ) async throws -> Value {
    try await Obsd.with(arguments, environment: environment) {
      try await body($0.program, $0.url)
    }
  }

  /// Runs `body` with a file of that content in a folder of its own.
  private func withFile<Value>(
    _ name: String,
    _ content: String,
    _ body: (String) async throws -> Value
  ) async throws -> Value {
    try await withFolder { try await body(try $0.file(name, content)) }
  }

  // MARK: Serving

  @Test(arguments: [SIGTERM, SIGINT])
  func `it says where it listens, closes with 1012 on a signal, and ends with 0`(
    signal: Int32
  ) async throws {
    try await withDaemon("--drain", "0s") { program, url in
      let match = try #require(url.wholeMatch(of: #/ws://127\.0\.0\.1:([0-9]+)/ws/#))
      let port = try #require(Int(match.1))
      #expect(port > 0)
      let client = try await ProtocolClient.connect(url)
      program.send(signal)
      #expect(try await client.ended().code == 1012)
      let outcome = await program.outcome()
      #expect(outcome.code == 0)
      #expect(outcome.lines == [])
      let records = try outcome.complaints.map { try JSON(parsing: $0) }
      let messages = records.map { $0["message"]?.stringValue }
      #expect(messages.first == "listening")
      #expect(messages.contains("draining"))
      #expect(messages.last == "stopped")
      #expect(records.allSatisfy { $0["level"] != nil && $0["time"] != nil })
    }
  }

  @Test func `host, path and the log's level are taken from the environment`() async throws {
    let environment = [
      "OBS_SERVER_HOST": "::1", "OBS_SERVER_PATH": "/live", "OBS_LOG_LEVEL": "warning",
      "OBS_SERVER_PROT": "1",
    ]
    try await withDaemon(environment: environment) { program, url in
      #expect(url.wholeMatch(of: #/ws://\[::1\]:[0-9]+/live/#) != nil, "\(url)")
      program.send(SIGTERM)
      let outcome = await program.outcome()
      #expect(outcome.code == 0)
      let record = try JSON(parsing: try #require(outcome.complaints.first))
      #expect(outcome.complaints.count == 1)
      #expect(record["source"] == "$OBS_SERVER_PROT")
      #expect(record["message"]?.stringValue?.contains("did you mean OBS_SERVER_PORT?") == true)
    }
  }

  @Test func `with a certificate it speaks TLS`() async throws {
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    try await withDaemon(
      "--tls-certificate",
      certificate.certificateFile,
      "--tls-key",
      certificate.privateKeyFile
    ) { _, url in
      #expect(url.hasPrefix("wss://127.0.0.1:"))
      var configuration = ClientConfiguration()
      configuration.trust = .authority(file: certificate.certificateFile)
      let client = Client(url, configuration)
      try await client.connect()
      await client.close()
    }
  }

  @Test func `any host but loopback warns that everyone may write`() async throws {
    try await withDaemon("--host", "0.0.0.0") { program, _ in
      let record = await program.complaints.next { $0.contains("everyone") }
      #expect(record?.contains(#""level":"warning""#) == true)
    }
    try await withDaemon { program, _ in
      program.send(SIGTERM)
      let complaints = await program.outcome().complaints
      #expect(!complaints.contains { $0.contains("everyone") })
    }
  }

  @Test func `SIGHUP takes over the log's level, and says what waits for a restart`() async throws {
    try await withFile("obsd.yaml", "log:\n  level: warning\n") { file in
      try await withDaemon("--config", file) { program, url in
        try Data("log:\n  level: debug\nlinger: 3s\n".utf8).write(to: URL(filePath: file))
        program.send(SIGHUP)
        #expect(await program.complaints.next()?.contains(#""logLevel":"debug""#) == true)
        #expect(await program.complaints.next()?.contains(#""settings":["linger"]"#) == true)

        try Data("log:\n  level: infos\n".utf8).write(to: URL(filePath: file))
        program.send(SIGHUP)
        let record = try #require(await program.complaints.next())
        #expect(record.contains("the old one stays in force"))
        #expect(record.contains("obsd.yaml:2:10"))
        program.send(SIGTERM)
        #expect(await program.exitCode() == 0)
      }
    }
  }

  // MARK: Not serving

  @Test func `a port that is taken is told, with exit code 69`() async throws {
    try await withDaemon { _, url in
      let port = try #require(url.firstMatch(of: #/:([0-9]+)//#)?.1)
      let outcome = try await run("--port", String(port))
      #expect(outcome.code == 69)
      #expect(outcome.lines == [])
      #expect(outcome.complaints.count == 1)
      let complaint = try #require(outcome.complaints.first)
      #expect(complaint.hasPrefix("obsd: cannot listen on 127.0.0.1 port \(port): "))
      #expect(complaint.contains("ddress already in use"))
      #expect(complaint.contains("is another server running there?"))
    }
  }

  @Test func `a wrong configuration is told with every place, with exit code 78`() async throws {
    let text = "server:\n  prot: 1\n  port: x\nlinger: 3\n"
    try await withFile("obsd.yaml", text) { file in
      for arguments in [[], ["check-config"]] {
        let line = arguments + ["--config", file, "--drain", "soon"]
        let outcome = try await withProgram(Obsd.file, line, environment: ["OBS_LOG_LEVEL": "loud"])
        {
          await $0.outcome()
        }
        #expect(outcome.code == 78)
        #expect(outcome.lines == [])
        #expect(
          outcome.complaints.map { $0.prefix { $0 != "`" } } == [
            "obsd: \(file):2:3: there is no setting ", "obsd: \(file):3:9: ",
            "obsd: \(file):4:9: ", "obsd: $OBS_LOG_LEVEL: ", "obsd: --drain: ",
          ]
        )
      }
    }
  }

  @Test func `check-config prints what is in force, as a file that says the same`() async throws {
    try await withFile("obsd.yaml", "server:\n  port: 9000\n") { file in
      let first = try await run("check-config", "--config", file, "--linger", "3s")
      #expect(first.code == 0)
      #expect(first.complaints == [])
      #expect(first.lines.contains { $0.hasPrefix("  port: 9000 ") && $0.hasSuffix("\(file):2:9") })
      #expect(first.lines.contains { $0.hasPrefix("linger: 3s ") && $0.hasSuffix("--linger") })

      let again = first.lines.joined(separator: "\n")
      let second = try await withFile("again.yaml", again) {
        try await run("check-config", "--config", $0)
      }
      func values(_ lines: [String]) -> [Substring] { lines.map { $0.prefix { $0 != "#" } } }
      #expect(values(second.lines) == values(first.lines))
    }
  }

  @Test func `the shipped sample is accepted`() async throws {
    let file = Tools.repository.appending(path: "deploy/obsd.yaml").path
    let outcome = try await run("check-config", "--config", file)
    #expect(outcome.code == 0)
    let bare = try await run("check-config")
    #expect(outcome.lines == bare.lines)
  }

  @Test(arguments: [
    (["--prot", "3"], "there is no option --prot; did you mean --port?"),
    (
      ["serve"],
      "obsd takes flags and the commands check-config, restore and verify, but got `serve`"
    ),
    (["--port"], "--port needs a value behind it"),
  ])
  func `a command line that makes no sense ends with 64`(
    arguments: [String],
    words: String
  ) async throws {
    let outcome = try await withProgram(Obsd.file, arguments) { await $0.outcome() }
    #expect(outcome.code == 64)
    #expect(outcome.complaints.first?.contains(words) == true)
    #expect(outcome.complaints.last?.contains("obsd --help") == true)
  }

  @Test func `data that cannot be read are told before anything listens`() async throws {
    let missing = try await run("--load", "/nowhere/data.json")
    #expect(missing.code == 66)
    #expect(
      missing.complaints.first?.contains("/nowhere/data.json cannot be read: no such file") == true
    )

    try await withFile("data.json", "{\n  \"a\": 1,\n  \"ü\": nix\n}") { file in
      let outcome = try await run("--load", file)
      #expect(outcome.code == 65)
      #expect(
        outcome.complaints.first?.hasPrefix("obsd: \(file):3:11: not JSON: ") == true,
        "\(outcome)"
      )
      #expect(outcome.lines == [])
    }
  }

  @Test func `more connections than open files are told as configuration`() async throws {
    let outcome = try await withProgram(
      URL(filePath: "/bin/sh"),
      ["-c", "ulimit -n 200 && exec \"$0\" --port 0 --limits-connections 500", Obsd.file.path]
    ) { await $0.outcome() }
    #expect(outcome.code == 78)
    #expect(outcome.complaints.first?.contains("limits.connections must be at most 136") == true)
  }

  @Test func `help and version go to standard output`() async throws {
    let help = try await run("--help")
    #expect(help.code == 0)
    #expect(help.complaints == [])
    for flag in ["--host", "--port", "--memory", "--load", "--config", "--demo", "--version"] {
      #expect(help.lines.contains { $0.trimmingPrefix(while: \.isWhitespace).contains("\(flag)") })
    }
    let version = try await run("--version")
    #expect(version.lines.first?.wholeMatch(of: #/obsd \d+\.\d+\.\d+/#) != nil)
  }
}
