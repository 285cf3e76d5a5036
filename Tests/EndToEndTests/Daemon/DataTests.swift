import Foundation
import FoundationNetworking
import Glibc
import ObsTestSupport
import ObsWire
import Testing

/// A data directory: what was answered is in it, whatever happens to the daemon.
@Suite("The data directory", .timeLimit(.minutes(3)))
struct DataTests {
  private static func patch(_ obsd: Obsd, _ pointer: String, _ value: JSON) async throws {
    let operation: JSON = [["op": "add", "path": .string(pointer), "value": value]]
    let outcome = try await obsd.ctl("patch", input: operation.description)
    #expect(outcome.code == 0, "\(outcome.complaints)")
  }

  private static func expect(_ document: String, in obsd: Obsd) async throws {
    let found = try await obsd.ctl("get", "@", "--format", "value").lines.first
    #expect(found == document)
  }

  @Test("what was answered is there after kill -9, and after a drain")
  func kill() async throws {
    try await withDirectory { data in
      for round in 1...3 {
        try await Obsd.with(["--data", data]) { obsd in
          try await Self.patch(obsd, "/r\(round)", .int(Int64(round)))
          obsd.program.send(round == 2 ? SIGTERM : SIGKILL)
          _ = await obsd.program.exitCode()
        }
      }
      try await Obsd.with(["--data", data]) { obsd in
        try await Self.expect(#"{"r1":1,"r2":2,"r3":3}"#, in: obsd)
      }
    }
  }

  @Test("--load begins a new document, and leaves one that is there alone")
  func load() async throws {
    try await withDirectory { folder in
      let file = folder + "/begin.json"
      try Data(#"{"a":1}"#.utf8).write(to: URL(filePath: file))
      let arguments = ["--data", folder + "/data", "--load", file]
      try await Obsd.with(arguments) { obsd in
        try await Self.expect(#"{"a":1}"#, in: obsd)
        try await Self.patch(obsd, "/a", 2)
        obsd.program.send(SIGKILL)
        _ = await obsd.program.exitCode()
      }
      try await Obsd.with(arguments) { obsd in
        try await Self.expect(#"{"a":2}"#, in: obsd)
      }
    }
  }

  @Test(
    "a backup of a running daemon is restored to a directory of its own, which verify finds sound"
  )
  func backup() async throws {
    try await withDirectory { folder in
      let file = folder + "/obs.backup"
      try await Obsd.with(document: ["a": ["b": [1, 2.0, .null]]]) { obsd in
        try await Self.patch(obsd, "/c", "é")
        let outcome = try await obsd.ctl("backup", file)
        #expect(outcome.code == 0, "\(outcome.complaints)")
      }
      let restored = try await Self.run("restore", file, "--data", folder + "/new")
      #expect(restored.code == 0, "\(restored.complaints)")
      let again = try await Self.run("restore", file, "--data", folder + "/new")
      #expect(again.code == 65)
      #expect(again.complaints.first?.contains("holds data already") == true)
      let sound = try await Self.run("verify", folder + "/new")
      #expect(sound.code == 0 && sound.lines.first?.contains("is sound") == true)
      try await Obsd.with(["--data", folder + "/new"]) { obsd in
        try await Self.expect(#"{"a":{"b":[1,2.0,null]},"c":"é"}"#, in: obsd)
        try await Self.patch(obsd, "/d", 1)
      }

      let whole = try Data(contentsOf: URL(filePath: file))
      for (name, bytes) in [
        ("cut", whole.dropLast(30)), ("other", Data(whole.map { $0 == 0x32 ? 0x33 : $0 })),
      ] {
        let broken = folder + "/" + name
        try bytes.write(to: URL(filePath: broken))
        let outcome = try await Self.run("restore", broken, "--data", folder + "/" + name + "-data")
        #expect(outcome.code == 65, "\(name): \(outcome.complaints)")
      }
    }
  }

  @Test("a backup is for this machine: not through a proxy, not of a document in memory")
  func backupRefused() async throws {
    try await Obsd.with { obsd in
      var request = URLRequest(url: try #require(URL(string: obsd.base + "/admin/backup")))
      request.setValue("10.0.0.1", forHTTPHeaderField: "X-Forwarded-For")
      #expect(try await Self.status(request) == 403)
      request = URLRequest(url: try #require(request.url))
      request.httpMethod = "POST"
      #expect(try await Self.status(request) == 405)
    }
    try await Obsd.with(["--memory"]) { obsd in
      let outcome = try await obsd.ctl("backup", "/nowhere/file")
      #expect(outcome.code == 73)
      let refused = try await obsd.ctl("backup", "-")
      #expect(refused.code == 69)
      #expect(refused.complaints.first?.contains("in memory only") == true)
    }
  }

  @Test("a second daemon on the same directory is refused, and told whose it is")
  func second() async throws {
    try await withDirectory { data in
      try await Obsd.with(["--data", data]) { obsd in
        let outcome = try await Self.run("--port", "0", "--data", data)
        #expect(outcome.code == 69)
        #expect(outcome.complaints.last?.contains("in use by process") == true)
        try await Self.patch(obsd, "/still", "here")
      }
    }
  }

  private static func run(_ arguments: String...) async throws -> Program.Outcome {
    try await withProgram(Obsd.file, arguments) { await $0.outcome() }
  }

  private static func status(_ request: URLRequest) async throws -> Int {
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }
}
