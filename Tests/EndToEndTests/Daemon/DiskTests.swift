import Foundation
import FoundationNetworking
import Glibc
import ObsTestSupport
import ObsTransport
import ObsWire
import Testing

/// Disks that refuse, directories that may only be read, and ends of files that a crash has torn.
@Suite("obsd and its disk", .timeLimit(.minutes(4)))
struct DiskTests {
  private static func append(
    _ client: ProtocolClient,
    _ value: JSON,
    key: String
  ) async throws -> JSON? {
    let operations: JSON = [["op": "add", "path": "/list/-", "value": value]]
    let answer = try await client.patch(operations, live: LiveOptions(key: key)).answer
    return answer.data["seq"]
  }

  private static func ready(_ base: String) async throws -> (status: Int, text: String) {
    let url = try #require(URL(string: base + "/readyz"))
    let (data, response) = try await URLSession.shared.data(from: url)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  private static func until(_ holds: () async throws -> Bool) async throws {
    while try await !holds() { await Task.yield() }
  }

  /// Lets the daemon of a directory write files of so many bytes at most.
  private static func limitFiles(of data: String, to bytes: String) async throws {
    let id = try String(contentsOfFile: data + "/lock", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let line = ["--pid", id, "--fsize=" + bytes]
    let outcome = try await withProgram(try Tools.path("prlimit"), line) { await $0.outcome() }
    try #require(outcome.code == 0, "\(outcome.complaints)")
  }

  @Test(
    "while the disk refuses, commits are not answered as done and /readyz is 503; reading goes on; then commits again, once each",
    .needs("prlimit")
  )
  func refuses() async throws {
    try await withDirectory { data in
      // What ends a process at the limit by default is a signal.
      let launcher = ["/bin/sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]
      try await Obsd.with(["--data", data], through: launcher) { obsd in
        let client = try await ProtocolClient.connect(obsd.url)
        try await client.patch([["op": "add", "path": "/list", "value": []]])
        #expect(try await Self.append(client, 1, key: "a") == 2)
        #expect(try await Self.ready(obsd.base).status == 200)

        try await Self.limitFiles(of: data, to: "4096:unlimited")
        let error = await #expect(throws: WireError.self) {
          try await Self.append(client, 2, key: "b")
        }
        #expect(error?.code == .unavailable)
        try await Self.until { try await Self.ready(obsd.base).status == 503 }
        #expect(try await Self.ready(obsd.base).text.contains("commits are refused"))
        let second = await #expect(throws: WireError.self) {
          try await Self.append(client, 3, key: "c")
        }
        #expect(second?.extensions["outcome"] == "not-applied")
        // What was answered is answered still, and read.
        #expect(try await Self.append(client, 1, key: "a") == 2)
        let read = try await obsd.ctl("get", "list", "--format", "value")
        #expect(read.lines.first == "[1]")

        try await Self.limitFiles(of: data, to: "unlimited:unlimited")
        try await Self.until { try await Self.ready(obsd.base).status == 200 }
        for _ in 0..<2 { #expect(try await Self.append(client, 2, key: "b") == 3) }
      }
      try await Obsd.with(["--data", data]) { obsd in
        let read = try await obsd.ctl("get", "list", "--format", "value")
        #expect(read.lines.first == "[1,2]")
      }
    }
  }

  /// Whether this system lets a test make a directory that may only be read, also for the superuser.
  private static let canMount: Bool = {
    let probe = Process()
    probe.executableURL = URL(filePath: "/bin/sh")
    probe.arguments = ["-c", "unshare -m sh -c 'mount --bind /tmp /tmp' 2>/dev/null"]
    try? probe.run()
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()

  @Test(
    "a directory that may only be read: refused with what to do",
    .enabled(if: canMount, "needs the right to mount")
  )
  func readOnly() async throws {
    try await withDirectory { folder in
      let data = folder + "/data"
      try await Obsd.with(["--data", data]) { obsd in
        let client = try await ProtocolClient.connect(obsd.url)
        try await client.patch([["op": "add", "path": "/a", "value": 1]])
        obsd.program.send(SIGTERM)
        _ = await obsd.program.exitCode()
      }
      let script =
        "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\""
      for arguments in [["--port", "0", "--data", data], ["verify", data]] {
        let line = ["-m", "sh", "-c", script, folder, Obsd.file.path] + arguments
        let outcome = try await withProgram(URL(filePath: "/usr/bin/unshare"), line) {
          await $0.outcome()
        }
        #expect(outcome.code == 74, "\(outcome)")
        #expect(outcome.complaints.last?.contains("read") == true, "\(outcome.complaints)")
      }
      try await Obsd.with(["--data", data]) { obsd in
        let lines = try await obsd.ctl("get", "a", "--format", "value").lines
        #expect(lines == ["1"])
      }
    }
  }

  @Test(
    "after kill -9: what a crash wrote behind the last commit is ignored; a tail that was answered and is gone is damage"
  )
  func tornTail() async throws {
    try await withDirectory { data in
      try await Obsd.with(["--data", data]) { obsd in
        let client = try await ProtocolClient.connect(obsd.url)
        try await client.patch([["op": "add", "path": "/list", "value": []]])
        for number in 1...5 {
          _ = try await Self.append(client, .int(Int64(number)), key: "k\(number)")
        }
        obsd.program.send(SIGKILL)
        _ = await obsd.program.exitCode()
      }
      let tail = URL(filePath: data + "/log.sqlite-wal")
      let whole = try Data(contentsOf: tail)

      try whole.dropLast(6000).write(to: tail)
      for arguments in [["--port", "0", "--data", data], ["verify", data]] {
        let outcome = try await withProgram(Obsd.file, arguments) { await $0.outcome() }
        #expect(outcome.code == 65, "\(outcome)")
        #expect(outcome.complaints.contains { $0.contains("acknowledged") }, "\(outcome)")
      }

      // A page of a transaction that never ended.
      try (whole + Data(repeating: 0x5a, count: 4120)).write(to: tail)
      try await Obsd.with(["--data", data]) { obsd in
        let read = try await obsd.ctl("get", "list", "--format", "value")
        #expect(read.lines.first == "[1,2,3,4,5]")
      }
    }
  }

  @Test("/readyz is 503 until the document is there, and says how far it is")
  func starting() async throws {
    let record: JSON = ["title": "a title of some length", "tags": ["x", "y", "z"], "n": 12345]
    let records = JSON.Object((0..<30_000).map { (key: "r\($0)", value: record) })
    try await withFolder { folder in
      let document = JSON.object(["records": .object(records)])
      let file = try folder.file("begin.json", document.description)
      let arguments = ["--data", folder.path + "/data"]
      let base = try await Obsd.with(arguments + ["--load", file]) { $0.base }
      let port = try #require(URLComponents(string: base)?.port)
      // The later port is the one that counts.
      try await withProgram(Obsd.file, ["--port", "\(port)"] + arguments) { program in
        var seen: Set<String> = []
        while true {
          guard let (status, text) = try? await Self.ready(base) else { continue }
          if status == 200 { break }
          #expect(status == 503)
          seen.insert(text)
        }
        #expect(!seen.isEmpty)
        let words = ["document", "snapshot", "log"]
        #expect(seen.allSatisfy { text in words.contains { text.contains($0) } }, "\(seen)")
        #expect(await program.lines.next()?.hasPrefix("listening on") == true)
      }
    }
  }

  @Test("a key of more than 64 characters is bad input, however large; one of 64 is a key")
  func longKeys() async throws {
    try await Obsd.with(document: ["list": []]) { obsd in
      for length in [65, 65_536] {
        let client = try await ProtocolClient.connect(obsd.url)
        client.subscribe(
          "a",
          "$patch",
          ["ops": [["op": "add", "path": "/list/-", "value": 1]]],
          live: LiveOptions(key: String(repeating: "k", count: length))
        )
        #expect(try await client.ended().code == 4400)
      }
      let client = try await ProtocolClient.connect(obsd.url)
      let key = String(repeating: "k", count: 64)
      for _ in 0..<2 { #expect(try await Self.append(client, 1, key: key) == 1) }
      let reused = await #expect(throws: WireError.self) {
        try await Self.append(client, 2, key: key)
      }
      #expect(reused?.code == .keyReused)
      let read = try await obsd.ctl("get", "list", "--format", "value")
      #expect(read.lines.first == "[1]")
    }
  }
}
