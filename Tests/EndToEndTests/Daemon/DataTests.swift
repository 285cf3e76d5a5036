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
        // The second one takes the place of the first.
        for _ in 0..<2 {
          let outcome = try await obsd.ctl("backup", file)
          #expect(outcome.code == 0, "\(outcome.complaints)")
        }
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

  @Test(
    "a directory that was begun with content is damaged without it, and verify makes no data where there are none"
  )
  func begun() async throws {
    try await withDirectory { folder in
      let data = folder + "/data"
      try await Obsd.with(document: ["a": 1], ["--data", data]) { obsd in
        obsd.program.send(SIGTERM)
        _ = await obsd.program.exitCode()
      }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: data + "/snapshots.sqlite" + suffix)
      }
      for arguments in [["--port", "0", "--data", data], ["verify", data]] {
        let outcome = try await withProgram(Obsd.file, arguments) { await $0.outcome() }
        #expect(outcome.code == 65, "\(outcome)")
        #expect(outcome.complaints.contains { $0.contains("begun with content") }, "\(outcome)")
      }
      let empty = folder + "/empty"
      try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
      #expect(try await Self.run("verify", empty).code == 66)
      #expect(try FileManager.default.contentsOfDirectory(atPath: empty) == [])
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

  @Test(
    "scenario 14: a commit whose answer is cut, by the network or by kill -9, is sent again: applied once, same answer",
    arguments: [false, true]
  )
  func cutAnswer(killed: Bool) async throws {
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
    /// Sends the commit and waits for its answer.
    func append(_ client: ProtocolClient) async throws -> JSON? {
      let operations: JSON = [["op": "add", "path": "/list/-", "value": 7]]
      return try await client.patch(operations, id: id).answer.data["seq"]
    }
    try await withDirectory { data in
      var first: JSON?
      try await Obsd.with(["--data", data]) { obsd in
        try await Self.patch(obsd, "/list", [])
        let witness = try await ProtocolClient.connect(obsd.url)
        witness.watch("w", "length(list)")
        #expect(try await witness.value("w").data == 0)
        let client = try await ProtocolClient.connect(obsd.url)
        client.pauseReading()
        client.subscribe(id, "$patch", ["ops": [["op": "add", "path": "/list/-", "value": 7]]])
        // It is applied, but nobody has read the answer.
        #expect(try await witness.value("w").data == 1)
        if killed {
          obsd.program.send(SIGKILL)
          _ = await obsd.program.exitCode()
        } else {
          client.kill()
          let again = try await ProtocolClient.connect(obsd.url)
          first = try await append(again)
        }
      }
      try await Obsd.with(["--data", data]) { obsd in
        let again = try await ProtocolClient.connect(obsd.url)
        let second = try await append(again)
        #expect(second == 2 && (first == nil || first == second))
        try await Self.expect(#"{"list":[7]}"#, in: obsd)
        // The key is taken: for another commit it is an error.
        let other = try await obsd.ctl(
          "patch",
          "--key",
          id,
          input: #"[{"op":"remove","path":"/list"}]"#
        )
        #expect(other.code == 65 && other.complaints.first?.contains("key-reused") == true)
      }
    }
  }

  @Test(
    "a directory that is damaged, or of a newer version, is refused with what is wrong; verify finds flipped bits"
  )
  func damaged() async throws {
    try await withDirectory { folder in
      let data = folder + "/data"
      try await Obsd.with(["--data", data]) { obsd in
        for number in 0..<20 {
          try await Self.patch(obsd, "/n\(number)", .string(String(repeating: "x", count: 3000)))
        }
        // Closed in order, everything is in one file.
        obsd.program.send(SIGTERM)
        _ = await obsd.program.exitCode()
      }
      let file = URL(filePath: data + "/log.sqlite")
      let whole = try Data(contentsOf: file)
      try #require(whole.count > 60_000)
      var flipped = whole
      for place in stride(from: 11_500, to: flipped.count, by: 4096) { flipped[place] ^= 0x10 }
      var newer = whole
      // The version of a SQLite file stands at 60, four bytes, the highest first.
      newer.replaceSubrange(60..<64, with: [0, 0, 0, 99])
      for (name, bytes, word) in [
        ("flipped bits", flipped, "damaged"),
        ("half a file", whole.prefix(whole.count / 2), "damaged"),
        ("newer", newer, "version 99"), ("no log", Data("hello".utf8), "log.sqlite"),
      ] {
        try bytes.write(to: file)
        let verify = try await Self.run("verify", data)
        #expect(verify.code == 65, "\(name): \(verify)")
        #expect(verify.complaints.contains { $0.contains(word) }, "\(name): \(verify.complaints)")
        if name == "flipped bits" { continue }  // What opening does not read is found by verify.
        let serve = try await Self.run("--port", "0", "--data", data)
        #expect(serve.code == 65, "\(name): \(serve)")
        #expect(serve.complaints.last?.contains(word) == true, "\(name): \(serve.complaints)")
      }
      try whole.write(to: file)
      #expect(try await Self.run("verify", data).code == 0)
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
